"""`arag-inspect run`: several systems and models on one task."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from .._util.errors import InputError, echo
from ._options import MODELS, limit_options, parse_assignments, split_names


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
@limit_options
@click.option("--epochs", type=click.IntRange(min=1), metavar="K", help="Answers per sample.")
@click.option(
    "--log-dir",
    metavar="D",
    help="Folder used only by this comparison, local or remote (s3://...). [default: logs/TASK]",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Run in this process, or spread over a Ray cluster.",
)
@click.option(
    "--shards",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="With --engine ray: parts of each task's samples, split by document.",
)
@click.option(
    "--address",
    metavar="auto|ray://HOST:PORT",
    help="Ray cluster to run on. [default: Ray on this machine]",
)
@click.option(
    "-T", "parameters", multiple=True, metavar="NAME=VALUE", help="More parameters of the task."
)
@click.option("--estimate", is_flag=True, help="Print what the run will cost, and do not run it.")
@click.option(
    "--earlier",
    multiple=True,
    metavar="LOGS",
    help="Logs of the same systems, for the estimate; without them it is from a dry pass.",
)
@click.option(
    "--max-dollars",
    type=click.FloatRange(min=0, min_open=True),
    metavar="USD",
    help="Do not begin if the estimate is above, and stop before more is spent.",
)
def run(
    task: str,
    inspect_options: tuple[str, ...],
    systems: str,
    models: str,
    grader: str | None,
    limit: int | None,
    sample_seed: int,
    epochs: int | None,
    log_dir: str | None,
    engine: str,
    shards: int,
    address: str | None,
    parameters: tuple[str, ...],
    estimate: bool,
    earlier: tuple[str, ...],
    max_dollars: float | None,
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
    from ._inspect_options import parse_inspect_options

    further = parse_inspect_options(inspect_options)
    folder = further.pop("log_dir", log_dir or f"logs/{task.split('/')[-1]}")
    values = parse_assignments("-T", parameters)
    names, answering, judging = split_names(systems), split_names(models), split_names(grader)
    expected: dict[str, float] = {}
    if estimate or max_dollars is not None:
        expected = _estimate(
            max_dollars,
            (task, names, answering, judging),
            {
                "limit": limit,
                "sample_seed": sample_seed,
                "epochs": epochs,
                "parameters": values,
                "batch": bool(further.get("batch")),
                "earlier": earlier,
                "prices": further.get("model_cost_config"),
            },
        )
        if estimate:
            return
    common: dict[str, Any] = {
        "log_dir": folder,
        "graders": judging,
        "limit": limit,
        "sample_seed": sample_seed,
        "epochs": epochs,
        "parameters": values,
        "eval_options": further,
    }
    if engine == "ray":
        if max_dollars is not None:
            raise InputError("--max-dollars counts in one process; give -- --cost-limit per sample")
        _on_cluster(task, names, answering, shards=shards, address=address, **common)
    else:
        limits = {"max_dollars": max_dollars, "expected": expected}
        _in_this_process(task, names, answering, **common, **limits)
    click.echo(f"Next: arag-inspect report {folder}")


def _on_cluster(*chosen: Any, **arguments: Any) -> None:
    from ..workflows.run_on_cluster import run_on_cluster

    locations = run_on_cluster(*chosen, **arguments)
    silent = _summarize(arguments["log_dir"])
    for location in locations:
        click.echo(f"Log: {location}")
    _refuse_silent(silent)


def _in_this_process(*chosen: Any, **arguments: Any) -> None:
    """Run the systems, and say what was paid.

    Raises:
        InputError: The run was stopped, or is not complete.
    """
    from ..workflows.run_systems import run_systems

    silent: list[str] = []
    try:
        result = run_systems(*chosen, **arguments)
    finally:
        silent = _summarize(arguments["log_dir"])
    if result.spending.stopped:
        raise InputError(
            f"stopped at ${result.spending.paid:,.2f} of --max-dollars "
            f"{arguments['max_dollars']:g}; what is done is kept: give the same command with more "
            "to continue"
        )
    if result.stopped is not None:
        raise InputError(
            f"{result.stopped}; what is done is kept: give the same command to continue"
        )
    if not result.logs:
        raise InputError("interrupted; what is done is kept: give the same command to continue")
    for line in result.faults:
        click.echo(line, err=True)
    if not result.complete:
        failed = sum(log.status != "success" for log in result.logs)
        raise InputError(
            f"{failed} of {len(result.logs)} runs failed or were interrupted; "
            "give the same command to continue them"
        )
    _refuse_silent(silent)


def _refuse_silent(judges: Sequence[str]) -> None:
    """Raise if a judge gave no readable verdict.

    Raises:
        InputError: One did not.
    """
    if judges:
        raise InputError(
            f"{' and '.join(judges)} gave no readable verdict; the answers are kept; judge them by "
            "another model: inspect score LOG --action overwrite --model-role grader=MODEL"
        )


def _summarize(folder: str) -> list[str]:
    """Print what could not be judged, and what was paid beside the price of what is kept.

    Returns:
        Judges without a readable verdict.
    """
    try:
        from ..report import benchmarks, bill_text, frames
        from ..report.primary import silent_judges, unjudged
    except InputError as error:  # an installation without the extra
        click.echo(f"Judges and dollars are not summed up: {error}")
        return []
    read = None
    with suppress(InputError):  # there is no log yet
        read = frames(folder)
    parts = benchmarks(read) if read else ()
    for failure in (failure for part in parts for failure in unjudged(part)):
        echo(f"Not judged: {failure}")
    if (bill := bill_text(folder, read)) is not None:
        click.echo(f"Dollars: {bill}")
    return [judge for part in parts for judge in silent_judges(part)]


def _estimate(
    most: float | None, run: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, float]:
    """Print what a run will cost.

    Returns:
        Dollars that a call costs at most by the estimate, by model.

    Raises:
        InputError: It will cost more than it may, or a price is not known.
    """
    from ..workflows.estimate_cost import estimate_cost, to_text, total

    lines = estimate_cost(*run, **options)
    click.echo(f"{to_text(lines)}\n")
    summed = total(lines)
    if most is not None and summed is None:
        model = next(line.model for line in lines if line.dollars is None)
        raise InputError(
            f"{model} has no known price, so --max-dollars cannot be kept; give its price with "
            "-- --model-cost-config FILE"
        )
    if most is not None and summed is not None and summed.mean > most:
        raise InputError(
            f"the run would cost about ${summed.mean:,.2f}, more than --max-dollars {most:g}; "
            "nothing was spent: take fewer samples with --limit, or allow more"
        )
    dearest: dict[str, float] = {}
    for line in lines:
        if line.dollars is not None:
            a_call = line.dollars.high / max(line.calls.high, 1)
            dearest[line.model] = max(dearest.get(line.model, 0.0), a_call)
    return dearest
