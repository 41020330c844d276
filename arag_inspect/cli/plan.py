"""`arag-inspect plan`: the number of samples that a run needs, and their cost."""

from typing import Annotated, Any

import click

from ._command import MODELS, ComparisonOptions, command, comparison_options
from .report import log_options

_POSITIVE = click.FloatRange(min=0, min_open=True)


@command()
def plan(
    task: tuple[str, ...],
    *,
    comparison: Annotated[ComparisonOptions, comparison_options],
    reading: Annotated[Any, log_options],
    effect: Annotated[float, _POSITIVE, "D"],
    model: Annotated[str | None, MODELS, "M"] = None,
) -> None:
    """Compute how many samples a run needs, and what they cost.

    TASK is a task, or Inspect logs of any task. As in the report, companies are the independent
    units, and Holm's method corrects the primary measures. The cost is estimated by a dry run,
    which calls no model.

    Args:
        task: Name of the task, or log files and folders.
        comparison: Systems and samples.
        reading: Options for reading logs.
        effect: Difference to detect, in standard deviations of the paired differences, such as 0.3.
        model: Model whose cost is estimated.
    """
    from .._util.errors import InputError, echo
    from ..report import check_labels
    from ..run.planning.cost_estimate import estimate_experiment
    from ..run.planning.cost_text import cost_text
    from ..run.planning.plan import is_one_task, plan_experiment, plan_logs
    from ..run.planning.plan_text import plan_text

    if not is_one_task(task):
        if model or comparison.graders or comparison.limit or comparison.parameters:
            raise InputError("--model, --grader, --limit and -T need the name of a task, not logs")
        logs = (*task, *comparison.earlier)
        check_labels(reading, logs)
        result = plan_logs(logs, effect, reading=reading)
        echo(plan_text(result, effect), longest=20_000)
        return
    experiment = comparison.experiment(task[0], model)
    result = plan_experiment(experiment, effect, comparison.earlier)
    click.echo(plan_text(result, effect))
    if model is not None:
        samples = result.samples if experiment.limit is None else result.available.samples
        lines = estimate_experiment(experiment, comparison.earlier, samples=samples)
        click.echo(f"\nCost of {samples:,} samples:\n{cost_text(lines, experiment.systems)}")
