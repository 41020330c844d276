"""`arag-inspect report`: compare the systems of some logs."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ._options import split_names
from ._report_options import read_options, report_options, write_and_print

_SECONDS = 5
"""Interval between two reads of logs that are being written."""


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option(
    "--human",
    metavar="FILE",
    help="Human marks in the format of Inspect's precomputed_scores; each record also names its"
    " system if there are several.",
)
@click.option(
    "--watch", is_flag=True, help="Write it again as samples end, until no run is in progress."
)
@click.option(
    "--baseline",
    metavar="SYSTEM",
    help="Compare every system with this one too, also those of another model.",
)
@report_options
def report(
    logs: tuple[str, ...],
    out: str,
    human: str | None,
    watch: bool,
    baseline: str | None,
    primary: str | None,
    criteria: Path | None,
    viewer: str,
    **said: Any,
) -> None:
    """Compare the systems whose LOGS (files or folders, local or remote) are given.

    One page with charts and every sample, the same as Markdown, and every score as CSV and Parquet.
    """
    from .._util.progress import bar
    from ..report import add_human_marks, frames, make_report, read_criteria

    success_criteria = read_criteria(criteria)
    reading = read_options(**said)
    while True:
        before = _state(logs) if watch else None
        read = frames(logs, reading=reading, progress=bar("Reading logs"))
        if human is not None:
            read = add_human_marks(read, human)
        new_report = make_report(
            read,
            split_names(primary),
            success_criteria,
            baseline=baseline,
            progress=bar("Comparing"),
        )
        running = (read.runs["status"] == "started").any()
        write_and_print(new_report, out, viewer, _SECONDS if watch and running else None)
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
