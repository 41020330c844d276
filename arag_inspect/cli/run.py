"""`arag-inspect run`: several systems and models on one task."""

import click

from .._util.errors import InputError
from ._options import MODELS, parse_assignments, split_names


@click.command()
@click.argument("task")
@click.argument("inspect_options", nargs=-1, metavar="[-- OPTIONS OF inspect eval-set]")
@click.option(
    "--systems",
    default="arag,naive_rag,stuffing",
    show_default=True,
    help="Systems to compare, separated by commas.",
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
    help="Folder of this comparison alone, local or remote (s3://...). [default: logs/TASK]",
)
@click.option(
    "-T", "parameters", multiple=True, metavar="NAME=VALUE", help="More parameters of the task."
)
def run(
    task: str,
    inspect_options: tuple[str, ...],
    systems: str,
    models: str,
    grader: str | None,
    limit: int | None,
    epochs: int | None,
    log_dir: str | None,
    parameters: tuple[str, ...],
) -> None:
    """Run several systems, with one model or more, on TASK (e.g. ectsum).

    Runs that are complete in the log folder are kept: after an interruption,
    or to add a system, give the same command.

    Options after -- go to Inspect's eval_set under the names of `inspect
    eval-set`, for instance:

    \b
      arag-inspect run ectsum --model M -- --max-connections 20 --max-tasks 4
      arag-inspect run ectsum --model M -- --batch --cost-limit 25 -M timeout=60
      arag-inspect run ectsum --model M -- --log-dir s3://bucket/ectsum
    """
    from ..workflows.run_systems import run_systems
    from ._inspect_options import parse_inspect_options

    further = parse_inspect_options(inspect_options)
    folder = further.pop("log_dir", log_dir or f"logs/{task.split('/')[-1]}")
    result = run_systems(
        task,
        split_names(systems),
        split_names(models),
        log_dir=folder,
        graders=split_names(grader),
        limit=limit,
        epochs=epochs,
        parameters=parse_assignments("-T", parameters),
        eval_options=further,
    )
    if not result.complete:
        failed = sum(log.status != "success" for log in result.logs)
        raise InputError(
            f"{failed} of {len(result.logs)} runs failed or were interrupted; "
            "give the same command to continue them"
        )
    click.echo(f"Next: arag-inspect report {folder}")
