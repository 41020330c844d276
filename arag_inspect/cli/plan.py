"""`arag-inspect plan`: how many samples a run needs, and what they cost."""

from typing import Annotated, Any

import click

from ._command import MODELS, command, comparison_options, split_names
from .report import log_options

_POSITIVE = click.FloatRange(min=0, min_open=True)


@command()
def plan(
    task: tuple[str, ...],
    *,
    comparison: Annotated[dict[str, Any], comparison_options],
    reading: Annotated[Any, log_options],
    effect: Annotated[float, _POSITIVE, "D"],
    model: Annotated[str | None, MODELS, "M"] = None,
) -> None:
    """Compute how many samples a run needs, and what they cost.

    TASK is a task, or Inspect logs of any task. The statistics are those of the report: companies
    are the independent units, and Holm's method corrects the primary measures. The cost comes from
    a dry pass, which asks no model.

    Args:
        task: Name of the task, or log files and folders.
        comparison: Systems and samples.
        reading: Options for reading logs.
        effect: Difference to detect, in standard deviations of the paired differences, such as 0.3.
        model: Model whose cost is estimated.
    """
    from .._util.errors import InputError, echo
    from ..report import check_labels
    from ..run import cost_estimate
    from ..run.plan import is_task, plan_logs, plan_run, plan_text

    graders = comparison.pop("graders")
    systems = comparison.pop("systems")
    if not is_task(task):
        if model or graders or comparison["limit"] or comparison["parameters"]:
            raise InputError("--model, --grader, --limit and -T need the name of a task, not logs")
        logs = (*task, *comparison["earlier"])
        check_labels(reading, logs)
        result = plan_logs(logs, effect, reading=reading)
        echo(plan_text(result, effect), longest=20_000)
        return
    result = plan_run(task[0], systems, effect, **comparison)
    click.echo(plan_text(result, effect))
    if model is not None:
        samples = result.samples if comparison["limit"] is None else result.there.samples
        lines = cost_estimate.estimate_cost(
            task[0], systems, split_names(model), graders, samples=samples, **comparison
        )
        click.echo(f"\nCost of {samples:,} samples:\n{cost_estimate.cost_text(lines, systems)}")
