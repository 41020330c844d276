"""Pages that mkdocs makes from the package and from files outside of docs/."""

import re
import sys
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from arag_inspect import tasks
from arag_inspect.benchmark import Benchmark
from arag_inspect.benchmarks import benchmark_names, benchmark_records, get_dataset

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs"))

from _generate import api_page, scorer_pages

OUTSIDE = {
    "README.md": "index.md",
    "measurements/README.md": "measurements.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Files of the repository that are pages of the site."""

DATASHEETS = {record.name: record.dataset.name for record in benchmark_records()}
"""Data set of each task; its datasheet is docs/datasets/NAME.md."""

_NAMED = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
"""First cell of the row of a scorer or task."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for name, page in OUTSIDE.items():
        if (ROOT / name).exists():
            _add(files, config, page, _relinked((ROOT / name).read_text("utf-8"), name, page))
    _add(files, config, "datasets/index.md", dataset_page())
    for name, sheet in DATASHEETS.items():
        _add(files, config, f"tasks/{name}.md", _task_page(name, sheet))
    for page, content in scorer_pages().items():
        _add(files, config, page, content)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to files outside of docs/ at their pages."""
    if page.file.generated_by:
        return markdown
    if (kind := page.file.src_uri.removesuffix(".md")) in ("scorers", "tasks"):
        table, rest = markdown.split("\n## ", 1)
        linked = _NAMED.sub(rf"| [`\1`]({kind}/\1.md) |", table)
        markdown = f"{linked}\n## {rest}"
    return _relinked(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Take the script that searches in a folder from the site, not from the network."""
    up = "../" * (len(PurePosixPath(page.file.dest_uri).parts) - 1)
    return output.replace("https://unpkg.com/iframe-worker/shim", f"{up}iframe-worker.js")


def _add(files: Files, config: MkDocsConfig, path: str, content: str) -> None:
    files.append(File.generated(config, path, content=content))


def _relinked(markdown: str, source: str, page: str) -> str:
    """Rewrite links that are relative to a file of the repository for a page of the site.

    A link to a file that is no page becomes its text.
    """

    def target(match: re.Match[str]) -> str:
        image, text, link, anchor = match.groups(default="")
        if "://" in link or link.startswith("mailto:"):
            return match[0]
        path = _normal(PurePosixPath(source).parent / link)
        if path in OUTSIDE:
            path = OUTSIDE[path]
        elif path.startswith("docs/"):
            path = path.removeprefix("docs/")
        else:
            return text
        up = "../" * (len(PurePosixPath(page).parts) - 1)
        return f"{image}[{text}]({up}{path}{anchor})"

    return _LINK.sub(target, markdown)


def _normal(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _task_page(name: str, sheet: str) -> str:
    module = getattr(tasks, name).__module__
    source = f"docs/datasets/{sheet}.md"
    heading, _, text = (ROOT / source).read_text("utf-8").partition("\n")
    datasheet = _relinked(text, source, f"tasks/{name}.md")
    shared = "Parameters that tasks share are on [their page](../tasks.md#parameters).\n"
    return f"{api_page(module, name)}\n{shared}\n## Datasheet: {heading.removeprefix('# ')}\n{datasheet}"


def dataset_page() -> str:
    """Return the page of data sets: a table made from their records."""
    rows = ["| data set | | task | licence | source |", "|---|---|---|---|---|"]
    for spec in map(get_dataset, benchmark_names()):
        source = f"[{spec.citation}]({spec.url})" if spec.url else spec.citation
        cells = (
            f"[{spec.title}]({spec.name}.md)",
            spec.summary,
            f"`{spec.task}`",
            spec.licence,
            source,
        )
        rows.append(f"| {' | '.join(cells)} |")
    table = "\n".join(rows)
    return (
        "# Data sets\n\nPrepare one with `arag-inspect prepare NAME`; each has a datasheet. "
        "[How to add a data set](../adding-a-data-set.md), and "
        f"[what a prepared folder holds](prepared-folder.md).\n\n{table}\n"
    )
