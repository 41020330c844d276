"""`arag-inspect report`: compare the systems of some logs."""

from pathlib import Path

import click

from ._options import split_names
from ._report_options import report_options, write_and_print


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option(
    "--human",
    metavar="FILE",
    help="Human marks in the format of Inspect's precomputed_scores; each record also names its"
    " system if there are several.",
)
@report_options
def report(
    logs: tuple[str, ...],
    out: str,
    human: str | None,
    primary: str | None,
    criteria: Path | None,
    viewer: str,
) -> None:
    """Compare the systems whose LOGS (files or folders, local or remote) are given.

    One page with charts and every sample, the same as Markdown, and every score as CSV and Parquet.
    """
    from ..report import add_human_marks, make_report, read_criteria, read_runs

    wanted = read_criteria(criteria)
    results = read_runs(logs)
    if human is not None:
        results = add_human_marks(results, human)
    made = make_report(results, split_names(primary), wanted)
    write_and_print(made, out, viewer)
