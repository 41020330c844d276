"""Write a report as files in a folder."""

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import fsspec
from filelock import FileLock

from .._util.csv_cells import csv_text
from .._util.errors import InputError, one_line
from .._util.progress import Progress, no_progress
from .._util.registry import EXPORTS, load_hook
from .build import BenchmarkReport, Report
from .charts import as_png, as_svg, charts
from .exports import evaluated_predictions, log_rows, merge_log, plain, predictions
from .frames import Frames
from .labels import SYSTEMS
from .markdown import to_markdown
from .page.render import render_page

MARKDOWN = "summarization_report.md"
PAGE = "report.html"
RUN_LOG = "evaluation_log.csv"
_LOCK = ".lock"


class WrittenReport(NamedTuple):
    """Paths of a written report."""

    folder: Path
    markdown: Path
    page: Path


def write_report(
    report: Report,
    folder: Path,
    *,
    viewer: str | None = None,
    refresh: int | None = None,
    progress: Progress = no_progress,
) -> WrittenReport:
    """Write page, Markdown, tables, scores and predictions.

    Files are replaced atomically.

    Layout: `report.html`, which is self-contained; `summarization_report.md`; a Parquet file for
    each frame, and `scores.csv`; `evaluation_log.csv`, which keeps a row for each run ever
    reported here; and for each benchmark a folder with its tables as CSV, its
    charts as SVG and PNG and, for each system, `predictions.jsonl`, `predictions.eval.jsonl` and
    what its benchmark adds.

    Args:
        report: Report to write.
        folder: Folder, created if missing.
        viewer: Address of a running `inspect view`, for links from the page to samples.
        refresh: Seconds after which a browser reloads the page, while runs are in progress.
        progress: Shows how many charts are drawn.

    Raises:
        InputError: It cannot be written, `viewer` is not an address on the web, or its
            `evaluation_log.csv` is something else.
    """
    if viewer is not None and not viewer.startswith(("http://", "https://")):
        raise InputError(f"viewer must be an address like http://127.0.0.1:7575, got {viewer!r}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / _LOCK):  # concurrent reports wait for each other
            _write_all(report, folder, viewer, refresh, progress)
    except OSError as error:
        raise InputError(f"the report cannot be written to {folder}: {error}") from error
    return WrittenReport(folder, folder / MARKDOWN, folder / PAGE)


def upload_report(report: Report, address: str, **options: Any) -> str:
    """Write a report, as `write_report` does, into a folder of a remote store.

    It is written locally first, so that each remote file is replaced as a whole; an
    existing `evaluation_log.csv` is extended.

    Args:
        report: Report to write.
        address: Address such as `s3://bucket/report`, of any store that fsspec supports.
        options: See `write_report`.

    Returns:
        Address of the page.

    Raises:
        InputError: It cannot be written there, see also `write_report`.
    """
    try:
        files, root = fsspec.core.url_to_fs(address)
        with TemporaryDirectory() as temporary:
            folder = Path(temporary)
            if files.exists(log := f"{root}/{RUN_LOG}"):
                files.get_file(log, str(folder / RUN_LOG))
            write_report(report, folder, **options)
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.name != _LOCK:
                    files.put_file(str(path), f"{root}/{path.relative_to(folder).as_posix()}")
    except InputError:
        raise
    except Exception as error:  # a remote store's library can raise any error
        raise InputError(
            f"the report cannot be written to {address}: {one_line(error) or type(error).__name__}"
        ) from error
    return f"{address.rstrip('/')}/{PAGE}"


def _write_all(
    report: Report, folder: Path, viewer: str | None, refresh: int | None, progress: Progress
) -> None:
    names = unique_slugs([part.benchmark.name for part in report.benchmarks])
    _write_run_log(report, folder / RUN_LOG)
    beside = _write_frames(report.frames, folder)
    for part, name in zip(report.benchmarks, names, strict=True):
        _write_benchmark(part, folder / name)
    drawn = [charts(part) for part in report.benchmarks]
    pictures: dict[str, dict[str, list[str]]] = {}
    with progress(sum(map(len, drawn))) as advance:
        for part, name, own in zip(report.benchmarks, names, drawn, strict=True):
            paths = pictures.setdefault(part.benchmark.name, {})
            for chart in own:
                path = f"{name}/charts/{chart.name}.svg"
                svg = as_svg(chart)
                _write(folder / path, svg)
                _write((folder / path).with_suffix(".png"), as_png(chart, svg))
                paths.setdefault(chart.section, []).append(path)
                advance()
    _write(folder / MARKDOWN, to_markdown(report, pictures))
    page = render_page(report, drawn, viewer=viewer, refresh=refresh, beside=beside)
    _write(folder / PAGE, page)


def _write_benchmark(part: BenchmarkReport, folder: Path) -> None:
    """Write the tables of a benchmark, and the answers of each system."""
    for table in (table for section in part.sections for table in section.tables):
        _write(folder / "tables" / f"{table.id}.csv", table.as_csv())
    exports = {
        "predictions.jsonl": predictions,
        "predictions.eval.jsonl": evaluated_predictions,
        **{file: load_hook(hook) for file, hook in EXPORTS.items()},
    }
    systems = part.benchmark.systems
    solvers = [
        run.system.replace(SYSTEMS.get(run.solver, run.solver), run.solver, 1)
        for run in part.benchmark.rows
    ]
    for system, name in zip(systems, unique_slugs(solvers), strict=True):
        for file, export in exports.items():
            lines = (
                json.dumps(record, ensure_ascii=False) + "\n"
                for record in export(part.benchmark, system)
            )
            if first := next(lines, ""):
                _write(folder / name / file, chain([first], lines))


def slug(name: str) -> str:
    """Return a name suitable for a file, of at most 60 characters."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60].rstrip("-.") or "unnamed"


def unique_slugs(names: Sequence[str]) -> list[str]:
    """Return a distinct file name for each name."""
    slugs: list[str] = []
    for name in names:
        numbered = (f"{slug(name)}{f'-{number}' if number else ''}" for number in count())
        slugs.append(next(candidate for candidate in numbered if candidate not in slugs))
    return slugs


def _write_run_log(report: Report, path: Path) -> None:
    try:
        existing = path.read_text(encoding="utf-8") if path.exists() else ""
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; move it away") from None
    rows = [row for part in report.benchmarks for row in log_rows(part.benchmark)]
    _write(path, merge_log(existing, rows, str(path)))


def _write_frames(frames: Frames, folder: Path) -> list[str]:
    """Write every frame as Parquet, and the scores as CSV too; return the names of the files."""
    tables = {**dict(zip(Frames._fields[:4], frames[:4], strict=True)), "steps": frames.steps()}
    for name, frame in tables.items():
        table = plain(frame)
        _write(folder / f"{name}.parquet", table.to_parquet(index=False))
        if name == "scores":
            own = table.drop(columns=["answer", "text"])
            rows = own.astype(object).where(own.notna(), None).itertuples(index=False)
            _write(folder / "scores.csv", csv_text([list(own.columns), *rows]))
    return ["scores.csv", *(f"{name}.parquet" for name in tables)]


def _write(path: Path, content: str | bytes | Iterable[str]) -> None:
    """Write to a temporary name and rename, so that a file is never incomplete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.partial")
    try:
        if isinstance(content, bytes):
            unfinished.write_bytes(content)
        else:
            with unfinished.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines([content] if isinstance(content, str) else content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
