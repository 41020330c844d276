"""`arag-inspect report`."""

from pathlib import Path

import click


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
def report(logs: tuple[str, ...], out: Path, human: str | None) -> None:
    """Compare the systems whose LOGS (files or folders, local or remote) are given.

    Tables, statistics, examples, and every score as CSV and Parquet.
    """
    from .report import add_human_marks, make_report, read_runs, write_report

    results = read_runs(logs)
    if human is not None:
        results = add_human_marks(results, human)
    made = make_report(results)
    written = write_report(made, out)
    for notice in made.notices:
        click.echo(f"{notice.level}: {notice.text}", err=True)
    for one in made.benchmarks:
        click.echo(f"\n{one.benchmark.name}: {', '.join(one.benchmark.systems)}")
        for finding in one.findings:
            click.echo(f"  {finding.claim}.")
    click.echo(f"\nReport: {written.markdown}")
