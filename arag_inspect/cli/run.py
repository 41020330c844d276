"""`arag-inspect run`: several systems and models on one task."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from .._util.errors import InputError, echo
from ._command import command
from ._options import AT_LEAST_1, MODELS, split_names, study

if TYPE_CHECKING:
    from ..workflows.run_systems import Ran


@command()
def run(
    task: str,
    inspect_options: Annotated[tuple[str, ...], "[-- OPTIONS OF inspect eval-set]"] = (),
    *,
    of_study: Annotated[dict[str, Any], study],
    models: Annotated[str, MODELS, "--model", "M[,M2]"],
    epochs: Annotated[int | None, AT_LEAST_1, "K"] = None,
    log_dir: Annotated[str | None, "D"] = None,
    engine: Literal["local", "ray"] = "local",
    shards: Annotated[int, AT_LEAST_1, "N"] = 1,
    address: Annotated[str | None, "auto|ray://HOST:PORT"] = None,
    estimate: bool = False,
    max_dollars: Annotated[float | None, click.FloatRange(min=0, min_open=True), "USD"] = None,
) -> None:
    """Run several systems, with one model or more, on a task.

    TASK is e.g. ectsum.

    Runs that are complete in the log folder are kept: after an interruption,
    or to add a system, give the same command.

    Options after -- go to Inspect's eval_set under the names of `inspect
    eval-set`, for instance:

    \b
      arag-inspect run ectsum --model M -- --max-connections 20 --max-tasks 4
      arag-inspect run ectsum --model M -- --batch --cost-limit 25 -M timeout=60
      arag-inspect run ectsum --model M -- --log-dir s3://bucket/ectsum

    Args:
        task: Name of the task.
        inspect_options: Options of Inspect.
        of_study: Systems and samples.
        models: Models to run the systems with.
        epochs: Answers per sample.
        log_dir: Folder used only by this comparison, local or remote (s3://...). [default:
            logs/TASK]
        engine: Run in this process, or spread over a Ray cluster.
        shards: With --engine ray: parts of each task's samples, split by document.
        address: Ray cluster to run on. [default: Ray on this machine]
        estimate: Print what the run will cost, and do not run it.
        max_dollars: Do not begin if the estimate is above, and stop before more is spent.
    """
    from ._inspect_options import parse_inspect_options

    further = parse_inspect_options(inspect_options)
    folder = further.pop("log_dir", log_dir or f"logs/{task.split('/')[-1]}")
    graders, earlier = of_study.pop("graders"), of_study.pop("earlier")
    chosen = task, of_study.pop("systems"), split_names(models)
    options: dict[str, Any] = {**of_study, "epochs": epochs}
    expected: Mapping[str, float] = {}
    if estimate or max_dollars is not None:
        batch, prices = bool(further.get("batch")), further.get("model_cost_config")
        pricing = {"batch": batch, "prices": prices, "earlier": earlier}
        expected = _estimate(max_dollars, (*chosen, graders), {**options, **pricing})
        if estimate:
            return
    options |= {"log_dir": folder, "graders": graders, "eval_options": further}
    if engine == "ray" and max_dollars is not None:
        raise InputError("--max-dollars counts in one process; give -- --cost-limit per sample")
    if engine == "ray":
        from ..workflows.run_on_cluster import run_on_cluster

        locations = run_on_cluster(*chosen, shards=shards, address=address, **options)
        silent = _summarize(folder)
        for location in locations:
            click.echo(f"Log: {location}")
    else:
        from ..workflows.run_systems import run_systems

        result = run_systems(*chosen, max_dollars=max_dollars, expected=expected, **options)
        silent = _summarize(folder)
        _check_complete(result)
    if silent:
        raise InputError(
            f"{' and '.join(silent)} gave no readable verdict; the answers are kept; judge them by "
            "another model: inspect score LOG --action overwrite --model-role grader=MODEL"
        )
    click.echo(f"Next: arag-inspect report {folder}")


def _check_complete(result: "Ran") -> None:
    """Print the faults of a run.

    Raises:
        InputError: It was stopped, or is not complete.
    """
    spending, again = result.spending, "give the same command"
    why = result.stopped or (None if result.logs else "interrupted")
    if spending.stopped:
        why = f"stopped at ${spending.paid:,.2f} of --max-dollars {spending.most:g}"
        again = f"{again} with more"
    if why is not None:
        raise InputError(f"{why}; what is done is kept: {again} to continue")
    for line in result.faults:
        click.echo(line, err=True)
    if not result.complete:
        failed = sum(log.status != "success" for log in result.logs)
        raise InputError(
            f"{failed} of {len(result.logs)} runs failed or were interrupted; {again} to continue "
            "them"
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
    most: float | None, chosen: Sequence[Any], options: Mapping[str, Any]
) -> dict[str, float]:
    """Print what a run will cost.

    Returns:
        Dollars that a call costs at most by the estimate, by model.

    Raises:
        InputError: It will cost more than it may, or a price is not known.
    """
    from ..workflows import budget

    lines = budget.estimate_cost(*chosen, **options)
    click.echo(f"{budget.cost_text(lines)}\n")
    if most is not None:
        budget.check_budget(lines, most)
    return budget.dearest_calls(lines)
