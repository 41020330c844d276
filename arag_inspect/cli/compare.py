"""`arag-inspect compare`: what a change did, from logs before and after it."""

from pathlib import Path
from typing import Any

import click

from ._options import split_names
from ._report_options import read_options, report_options, write_and_print


@click.command()
@click.argument("base")
@click.argument("new")
@report_options
def compare(
    base: str,
    new: str,
    out: str,
    primary: str | None,
    criteria: Path | None,
    viewer: str,
    **said: Any,
) -> None:
    """Compare the logs BASE from before a change with the logs NEW from after it.

    Each is a log or a folder, local or remote. The report begins with what changed (model,
    prompts, corpus, judges, versions), then shows which measures and samples got worse or better,
    system by system, and all that `arag-inspect report` shows.
    """
    from .._util.progress import bar
    from ..report import compare_frames, frames, read_criteria

    success_criteria = read_criteria(criteria)
    reading = read_options(**said)
    after = frames([new], reading=reading, progress=bar("Reading new logs"))
    before = frames([base], reading=reading, progress=bar("Reading earlier logs"))
    comparison = compare_frames(after, before, split_names(primary), success_criteria)
    write_and_print(comparison, out, viewer)
