"""`arag-inspect report`: compare the systems of some logs."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from .._util.errors import echo
from ._command import command
from ._options import FILE, split_names
from ._report_options import Writing, reading, write_and_print, writing

_SECONDS = 5
"""Interval between two reads of logs that are being written."""


@command()
def report(
    logs: tuple[str, ...],
    *,
    human: Annotated[str | None, "FILE"] = None,
    review_sheet: Annotated[Path | None, FILE] = None,
    watch: bool = False,
    baseline: Annotated[str | None, "SYSTEM"] = None,
    to: Annotated[Writing, writing],
    of_logs: Annotated[Any, reading],
) -> None:
    """Compare the systems of some logs.

    LOGS are files or folders, local or remote. One page with charts and every sample, the same as Markdown, and every score as CSV and Parquet.

    Args:
        logs: Files or folders.
        human: Human marks: a filled review sheet, or records in the format of Inspect's
            precomputed_scores; each also names its system if there are several.
        review_sheet: Also write thirty answers for a person to mark, as .csv or .xlsx (drawn at
            random, disputed by judges, weak).
        watch: Write it again as samples end, until no run is in progress.
        baseline: Compare every system with this one too, also those of another model.
        to: What the report has.
        of_logs: What the user says of logs.
    """
    from .._util.progress import bar
    from ..report import add_human_marks, frames, make_report
    from ..report.tables.human import write_review_sheet

    while True:
        before = _state(logs) if watch else None
        read = frames(logs, reading=of_logs, progress=bar("Reading logs"))
        if human is not None:
            read = add_human_marks(read, human)
        if review_sheet is not None:
            count = write_review_sheet(read, review_sheet)
            echo(f"Review {count} answers in {review_sheet}; then --human {review_sheet}")
        new_report = make_report(
            read,
            split_names(to.primary),
            to.criteria,
            baseline=baseline,
            progress=bar("Comparing"),
        )
        running = (read.runs["status"] == "started").any()
        write_and_print(new_report, to, _SECONDS if watch and running else None)
        if not (watch and running):
            return
        while _state(logs) == before:
            time.sleep(_SECONDS)


def _state(logs: Sequence[str]) -> list[tuple[str, str]]:
    """Return the name, size and date of every file of some logs, local or remote."""
    import fsspec

    states = []
    for path in logs:
        files, root = fsspec.core.url_to_fs(path)
        for name, info in files.find(root, detail=True).items():
            states.append(
                (name, f"{info.get('size')} {info.get('mtime') or info.get('LastModified')}")
            )
    return sorted(states)
