"""`arag-inspect report`: compare the systems of some logs."""

from pathlib import Path

import click

from .._util.errors import printable
from ._options import split_names


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="report",
    show_default=True,
    help="Folder to write to.",
)
@click.option(
    "--human",
    metavar="FILE",
    help="Marks that people gave, as Inspect's precomputed_scores reads them; each record also "
    "names its system where there are several.",
)
@click.option(
    "--primary",
    metavar="NAME[,NAME2]",
    help="Measures that decide which system is better, in place of the task's own.",
)
@click.option(
    "--criteria",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What the runs should show (YAML), in place of the package's list.",
)
@click.option(
    "--viewer",
    metavar="URL",
    default="http://127.0.0.1:7575",
    show_default=True,
    help="Where `inspect view` listens, for links from the page to samples.",
)
def report(
    logs: tuple[str, ...],
    out: Path,
    human: str | None,
    primary: str | None,
    criteria: Path | None,
    viewer: str,
) -> None:
    """Compare the systems whose LOGS (files or folders, local or remote) are given.

    One page with charts and every sample, the same as Markdown, and every score as CSV and Parquet.
    """
    from ..report import add_human_marks, make_report, read_criteria, read_runs, write_report

    wanted = read_criteria(criteria)
    results = read_runs(logs)
    if human is not None:
        results = add_human_marks(results, human)
    made = make_report(results, split_names(primary), wanted)
    written = write_report(made, out, viewer=viewer)
    for notice in made.notices:
        click.echo(printable(f"{notice.level}: {notice.text}"), err=True)
    for item in made.benchmarks:
        click.echo(printable(f"\n{item.benchmark.name}: {', '.join(item.benchmark.systems)}"))
        for finding in item.findings:
            click.echo(printable(f"  {finding.topic}: {finding.text}"))
    click.echo(f"\nPage:     {written.page}\nMarkdown: {written.markdown}")
