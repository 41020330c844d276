"""`arag-inspect run`, `rejudge` and `report`."""

from pathlib import Path

import click
import yaml

from .._util.errors import InputError
from ._options import MODELS


@click.command()
@click.argument("task")
@click.option(
    "--systems",
    default="arag,naive_rag,stuffing",
    show_default=True,
    help="Systems to compare, with commas.",
)
@click.option(
    "--model",
    "models",
    type=MODELS,
    required=True,
    metavar="M[,M2]",
    help="Models to run them with.",
)
@click.option("--grader", type=MODELS, metavar="G[,G2]", help="Models to judge with.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N samples.")
@click.option("--epochs", type=click.IntRange(min=1), metavar="K", help="Answer each K times.")
@click.option(
    "--log-dir",
    metavar="D",
    help="Folder of this comparison alone. [default: logs/TASK]",
)
@click.option(
    "-T", "parameters", multiple=True, metavar="NAME=VALUE", help="More parameters of the task."
)
def run(
    task: str,
    systems: str,
    models: str,
    grader: str | None,
    limit: int | None,
    epochs: int | None,
    log_dir: str | None,
    parameters: tuple[str, ...],
) -> None:
    """Run several systems, with one model or more, on TASK (e.g. ectsum).

    What is done already in the log folder is not done again: after an
    interruption, or to add a system, give the same command.
    """
    from ..workflows.run_systems import run_systems

    folder = log_dir or f"logs/{task.split('/')[-1]}"
    ran = run_systems(
        task,
        _names(systems),
        _names(models),
        log_dir=folder,
        graders=_names(grader or ""),
        limit=limit,
        epochs=epochs,
        parameters=_parameters(parameters),
    )
    if not ran.complete:
        failed = sum(log.status != "success" for log in ran.logs)
        raise InputError(
            f"{failed} of {len(ran.logs)} runs did not end well; the same command takes them up"
        )
    click.echo(f"Next: arag-inspect report {folder}")


@click.command()
@click.argument("log")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Log to write. [default: NAME-rejudged.eval beside it]",
)
@click.option("--scorer", "only", multiple=True, metavar="NAME", help="Only this scorer.")
def rejudge(log: str, out: Path | None, only: tuple[str, ...]) -> None:
    """Judge the answers of LOG again with the same judges, to see how far they agree with themselves.

    `arag-inspect report` reads the new log in place of the old one, and calls no
    difference that judging again could make.
    """
    from ..workflows.rejudge import rejudge as judge_again

    judged = judge_again(log, out, only)
    click.echo(f"Judged again: {judged.log}")
    if judged.changed:
        click.echo(
            f"{', '.join(judged.changed)}: measured otherwise than in the old log (version, prompt, "
            "criteria or judge), so this counts as another measure, not as a repetition",
            err=True,
        )


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
    "--viewer",
    metavar="URL",
    default="http://127.0.0.1:7575",
    show_default=True,
    help="Where `inspect view` listens, for links from the page to samples.",
)
def report(
    logs: tuple[str, ...], out: Path, human: str | None, primary: str | None, viewer: str
) -> None:
    """Compare the systems whose LOGS (files or folders, local or remote) are given.

    One page with charts and every sample, the same as Markdown, and every score as CSV and Parquet.
    """
    from ..report import add_human_marks, make_report, read_runs, write_report

    results = read_runs(logs)
    if human is not None:
        results = add_human_marks(results, human)
    made = make_report(results, _names(primary or ""))
    written = write_report(made, out, viewer=viewer)
    for notice in made.notices:
        click.echo(f"{notice.level}: {notice.text}", err=True)
    for one in made.benchmarks:
        click.echo(f"\n{one.benchmark.name}: {', '.join(one.benchmark.systems)}")
        for finding in one.findings:
            click.echo(f"  {finding.topic}: {finding.text}")
    click.echo(f"\nPage:     {written.page}\nMarkdown: {written.markdown}")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _parameters(given: tuple[str, ...]) -> dict[str, object]:
    found: dict[str, object] = {}
    for one in given:
        name, sign, value = one.partition("=")
        if not sign or not name.strip().isidentifier():
            raise InputError(f"-T {one!r} is not NAME=VALUE")
        try:
            found[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            found[name.strip()] = value
    return found
