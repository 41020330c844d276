"""`arag-inspect run`: several systems and models on one task, also from a file with its options."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from .._util.errors import InputError, echo
from .._util.names import short_name
from ..types.damage import DamageSettings
from ._command import (
    AT_LEAST_1,
    FILE,
    MODELS,
    ComparisonOptions,
    command,
    comparison_options,
)
from ._experiment import DIGEST, ExperimentCommand, write_experiment
from ._outcomes import check_complete
from .damage import damaging, run_twice

if TYPE_CHECKING:
    import pandas as pd

    from ..report import Study, Table
    from ..run.experiment import Experiment
    from ..run.run_experiment import RunResult


@command(ExperimentCommand)
def run(
    task: str,
    inspect_options: Annotated[tuple[str, ...], "[-- OPTIONS OF inspect eval-set]"] = (),
    *,
    comparison: Annotated[ComparisonOptions, comparison_options],
    models: Annotated[str, MODELS, "--model", "M[,M2]"],
    epochs: Annotated[int | None, AT_LEAST_1, "K"] = None,
    log_dir: Annotated[str | None, "D"] = None,
    engine: Literal["local", "ray"] = "local",
    shards: Annotated[int, AT_LEAST_1, "N"] = 1,
    address: Annotated[str | None, "auto|ray://HOST:PORT"] = None,
    estimate: bool = False,
    max_dollars: Annotated[float | None, click.FloatRange(min=0, min_open=True), "USD"] = None,
    damaged: Annotated[DamageSettings | None, damaging],
    write: Annotated[Path | None, FILE, "FILE"] = None,
    verbose: bool = False,
) -> None:
    """Run several systems on a task, with one or more models.

    TASK is a task such as ectsum, or a YAML file with a task and its options, as written by
    --write.

    To continue after an interruption, or to add a system, run the same command again: complete
    runs in the log folder are not repeated.

    Options after -- go to Inspect's eval_set under the names of `inspect
    eval-set`, for instance:

    \b
      arag-inspect run ectsum --model M -- --max-connections 20 --max-tasks 4
      arag-inspect run ectsum --model M -- --batch --cost-limit 25 -M timeout=60

    Args:
        task: Name of the task.
        inspect_options: Options of Inspect.
        comparison: Systems and samples.
        models: Models to run the systems with.
        epochs: Times to answer each sample.
        log_dir: Folder used only by this comparison, local or remote (s3://...). [default:
            logs/TASK]
        engine: Run in this process, or distributed on a Ray cluster.
        shards: With --engine ray: parts of each task's samples, split by document.
        address: Ray cluster to run on. [default: Ray on this machine]
        estimate: Print what the run will cost, and stop.
        max_dollars: Do not start if the estimate exceeds this, and stop before more is spent.
        damaged: Damaged copy to run on as well.
        write: Save this command to a YAML file, and do not run it.
        verbose: Show Inspect's own display, with every metric.
    """
    if write is not None:
        write_experiment(write)
        return
    eval_options = _inspect_arguments(inspect_options)
    folder = log_dir or _default_folder(task, damaged)
    _print_compared_measures(task)
    experiment = comparison.experiment(task, models, epochs, eval_options)
    expected = None
    if estimate or max_dollars is not None:
        max_cost = _limit_of_one(max_dollars, damaged)
        expected = _estimate(experiment, comparison.earlier, max_cost)
        if estimate:
            return
    _check_engine(engine, max_dollars, damaged)
    if engine == "ray":
        from ..run.run_on_cluster import run_on_cluster

        run_on_cluster(experiment, folder, shards=shards, address=address)
        _print_results(folder, None)
        return
    from ..run.run_experiment import QUIET, run_experiment

    display = None if verbose else QUIET
    if damaged:
        run_twice(experiment, damaged, folder, display, max_dollars, expected)
        return
    result = run_experiment(
        experiment, folder, display=display, max_dollars=max_dollars, expected=expected
    )
    _print_results(folder, result)


def _inspect_arguments(words: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `eval_set` for the words after `--`, with the experiment's digest."""
    from ._inspect_options import parse_inspect_options

    arguments = parse_inspect_options(words)
    meta = click.get_current_context().meta
    if DIGEST in meta:
        arguments.setdefault("metadata", {})[DIGEST] = meta[DIGEST]
    return arguments


def _default_folder(task: str, damaged: DamageSettings | None) -> str:
    folder = f"logs/{short_name(task)}"
    return f"{folder}-{damaged.kind}" if damaged else folder


def _print_compared_measures(task: str) -> None:
    from ..run.experiment import has_one_solver

    if has_one_solver(task):
        echo(f"--systems is ignored: {task} has a fixed solver, so the run compares models")


def _limit_of_one(max_dollars: float | None, damaged: DamageSettings | None) -> float | None:
    """Return the spending limit of one run: half of the limit if a damaged copy is run too."""
    if not damaged:
        return max_dollars
    echo("--damage runs everything twice; the estimate and its limit cover one run")
    return None if max_dollars is None else max_dollars / 2


def _estimate(
    experiment: "Experiment", earlier: Sequence[str], max_cost: float | None
) -> dict[str, float]:
    """Print the estimated cost of a run.

    Args:
        experiment: Planned experiment.
        earlier: Logs to estimate from.
        max_cost: Maximum cost in dollars; None for no limit.

    Returns:
        Estimated maximum cost of a call in dollars, by model.

    Raises:
        InputError: The estimate exceeds the limit, or a price is unknown.
    """
    from .._util.progress import bar
    from ..run.planning.cost_estimate import check_budget, estimate_experiment, max_call_costs
    from ..run.planning.cost_text import cost_text

    with bar("Estimating")(None):
        lines = estimate_experiment(experiment, earlier)
    click.echo(f"{cost_text(lines, experiment.systems)}\n")
    if max_cost is not None:
        check_budget(lines, max_cost)
    return max_call_costs(lines)


def _check_engine(engine: str, max_dollars: float | None, damaged: DamageSettings | None) -> None:
    """Raise if a run on a cluster does not support the options.

    Raises:
        InputError: An option is unsupported; the message gives an alternative.
    """
    if engine == "ray" and max_dollars is not None:
        raise InputError(
            "--max-dollars works in one process only; limit each sample with -- --cost-limit"
        )
    if engine == "ray" and damaged:
        raise InputError("--damage runs in one process; remove --engine ray")


def _print_results(folder: str, result: "RunResult | None") -> None:
    """Print a summary of the logs, and the next command.

    Args:
        folder: Folder of the logs.
        result: Result of the run; None on a cluster, which raises by itself.

    Raises:
        InputError: The run is not complete, or a judge gave no readable verdict.
    """
    if result is not None and result.earlier_runs is not None:
        echo(result.earlier_runs)
    is_stopped = result is not None and result.stopped is not None
    silent = _summarize(folder, is_stopped)
    if result is not None:
        check_complete(result)
    if silent:
        raise InputError(
            f"{' and '.join(silent)} gave no readable verdict; the answers are kept; judge them by "
            "another model: inspect score LOG --action overwrite --model-role grader=MODEL"
        )
    click.echo(f"Next: arag-inspect report {folder}")


def _summarize(folder: str, is_stopped: bool) -> list[str]:
    """Print the primary measures, unjudged measures, and the amount spent.

    Args:
        folder: Folder of the logs.
        is_stopped: Whether the run was stopped, so that the command itself reports the reason.

    Returns:
        Judges without a readable verdict.
    """
    from .._util.progress import bar

    try:
        from ..report import bill_text, frames, studies
        from ..report.comparison.unjudged import not_judged, silent_judges, unread_elsewhere

        logged_frames = frames(folder, progress=bar("Reading logs"))
    except InputError as error:  # an installation without the extra, or no log yet
        if not is_stopped:
            click.echo(f"No summary: {error}")
        return []
    parts = studies(logged_frames)
    for part in parts:
        table = _system_table(part).as_text()
        click.echo(f"\n{part.full_task} ({part.dataset}): mean [95 % interval]\n{table}\n")
    for part in parts:
        for text in (*not_judged(part), *unread_elsewhere(part)):
            echo(f"Not judged: {text}")
    bill = bill_text([folder], logged_frames)
    if bill is not None:
        click.echo(bill)
    return [*chain.from_iterable(map(silent_judges, parts))]


def _system_table(study: "Study") -> "Table":
    """Return a table of the primary measures of each system and the cost of an answer.

    Measures of right answers leave out unanswerable questions; another column counts those that
    were declined.
    """
    from numpy import isnan

    from ..report.cells import Usd
    from ..report.comparison.means import mean_of_measure
    from ..report.comparison.primary import primary_measures
    from ..report.table import Table

    keys = primary_measures(study)
    declining = [
        study.catalogue.spec(key)
        for key in study.catalogue.keys_of("right refusal")[:1]
        if key not in keys and not isnan(study.pool(key)).all()
    ]
    rows = []
    for system in study.systems:
        cost = mean_of_measure(study, system, study.catalogue.key_of("cost"))
        estimates = (mean_of_measure(study, system, key) for key in keys)
        dollars = Usd(cost.mean) if cost is not None else None
        declined = (_count(study.known_values(system, measure.key)) for measure in declining)
        rows.append((system, *estimates, *declined, dollars))
    measures = (*map(study.catalogue.spec, keys), *declining)
    names = (measure.label for measure in measures)
    return Table("systems", "", "", ("system", *names, "USD each"), tuple(rows))


def _count(values: "pd.Series[float]") -> str:
    """Return how many values of 0 or 1 are 1, e.g. `4 of 5`."""
    return f"{values.sum():g} of {len(values)}"
