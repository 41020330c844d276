"""`arag-inspect run`: several systems and models on one task."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from .._util.errors import InputError, echo
from ._command import command
from ._experiment import DIGEST, Experiment
from ._options import AT_LEAST_1, FILE, MODELS, split_names, study

if TYPE_CHECKING:
    from ..report import Benchmark, Table
    from ..workflows.run_systems import Ran


@command(Experiment)
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
    write: Annotated[Path | None, FILE, "FILE"] = None,
) -> None:
    """Run several systems, with one model or more, on a task.

    TASK is e.g. ectsum, or a YAML file with the task and all options, as --write makes it.

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
        write: Write this command to a YAML file, and do not run it.
    """
    context = click.get_current_context()
    if write is not None and isinstance(context.command, Experiment):
        context.command.write(context, write)
        click.echo(f"Wrote {write}; run: arag-inspect run {write}")
        return
    from ._inspect_options import parse_inspect_options

    further = parse_inspect_options(inspect_options)
    if DIGEST in context.meta:
        further.setdefault("metadata", {})[DIGEST] = context.meta[DIGEST]
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
    result = None
    if engine == "ray":
        from ..workflows.run_on_cluster import run_on_cluster

        run_on_cluster(*chosen, shards=shards, address=address, **options)
    else:
        from ..workflows.run_systems import run_systems

        result = run_systems(*chosen, max_dollars=max_dollars, expected=expected, **options)
    silent = _summarize(folder)
    if result is not None:
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
        again += " with more"
    if why is not None:
        raise InputError(f"{why}; what is done is kept: {again} to continue")
    for line in result.faults:
        click.echo(line, err=True)
    if not result.complete:
        failed = sum(log.status != "success" for log in result.logs)
        counts = f"{failed} of {len(result.logs)} runs failed or were interrupted"
        raise InputError(f"{counts}; {again} to continue them")


def _summarize(folder: str) -> list[str]:
    """Print the primary measures, what could not be judged, and what was paid.

    Returns:
        Judges without a readable verdict.
    """
    try:
        from ..report import benchmarks, bill_text, frames
        from ..report.comparisons import silent_judges, unjudged

        read = frames(folder)
    except InputError as error:  # an installation without the extra, or no log yet
        click.echo(f"Nothing is summed up: {error}")
        return []
    parts = benchmarks(read)
    for part in parts:
        table = _by_system(part).as_text()
        click.echo(f"\n{part.full_task} ({part.dataset}): mean [95 % interval]\n{table}\n")
    for failure in (failure for part in parts for failure in unjudged(part)):
        echo(f"Not judged: {failure}")
    if (bill := bill_text(folder, read)) is not None:
        click.echo(f"Dollars: {bill}")
    return [judge for part in parts for judge in silent_judges(part)]


def _by_system(benchmark: "Benchmark") -> "Table":
    """Return a table of the primary measures of each system and the cost of an answer."""
    from ..report.comparisons import primary_measures
    from ..report.table import Table, Usd

    keys = primary_measures(benchmark)
    rows = []
    for system in benchmark.systems:
        cost = benchmark.estimate(system, "efficiency.cost_usd")
        estimates = (benchmark.estimate(system, key) for key in keys)
        rows.append((system, *estimates, cost and Usd(cost.mean)))
    names = (benchmark.spec(key).short_label or key for key in keys)
    return Table("systems", "", "", ("system", *names, "USD each"), tuple(rows))


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
    click.echo(f"{budget.cost_text(lines, chosen[1])}\n")
    if most is not None:
        budget.check_budget(lines, most)
    return budget.dearest_calls(lines)
