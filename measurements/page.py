"""Parts of documentation pages that the benchmarks write."""

import os
import platform
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def write_part(page: str, name: str, text: str) -> None:
    """Replace the text between `<!-- NAME -->` and `<!-- end of NAME -->` on a page.

    Args:
        page: Name of a file of `docs/`.
        name: Of the part.
        text: Markdown.
    """
    path = DOCS / page
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = path.read_text("utf-8").partition(begin)
    after = rest.partition(end)[2]
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", "utf-8")


def machine() -> str:
    """Name the machine in a few words."""
    return f"{os.cpu_count()} cores, Python {platform.python_version()}"
