"""`arag-inspect plan`: how many samples a run needs, and what they cost."""

from typing import Annotated, Any

import click

from ._command import MODELS, command, split_names, study
from .report import reading


@command()
def plan(
    task: tuple[str, ...],
    *,
    of_study: Annotated[dict[str, Any], study],
    of_logs: Annotated[Any, reading],
    effect: Annotated[float, click.FloatRange(min=0, min_open=True), "D"],
    model: Annotated[str | None, MODELS, "M"] = None,
) -> None:
    """Compute how many samples a run needs, and what they cost.

    TASK is a task, or Inspect logs of any task. The statistics are those of the report: companies
    are the independent units, and Holm's method corrects the primary measures. The cost comes from
    a dry pass, which asks no model.

    Args:
        task: Name of the task, or log files and folders.
        of_study: Systems and samples.
        of_logs: Options for reading logs.
        effect: Difference to detect, in standard deviations of the paired differences, such as 0.3;
            the column "1 SD is" converts it: 0.05 where 1 SD is 0.25 is 0.2.
        model: Model whose cost is estimated.
    """
    from .._util.errors import InputError, echo
    from ..run import cost_estimate
    from ..run.plan import is_task, plan_logs, plan_run, plan_text

    graders = of_study.pop("graders")
    systems = of_study.pop("systems")
    if not is_task(task):
        if model or graders or of_study["limit"] or of_study["parameters"]:
            raise InputError("--model, --grader, --limit and -T need the name of a task, not logs")
        logs = (*task, *of_study["earlier"])
        result = plan_logs(logs, effect, reading=of_logs)
        echo(plan_text(result, effect), longest=20_000)
        return
    result = plan_run(task[0], systems, effect, **of_study)
    click.echo(plan_text(result, effect))
    if model is not None:
        samples = result.samples if of_study["limit"] is None else result.there[0]
        lines = cost_estimate.estimate_cost(
            task[0], systems, split_names(model), graders, samples=samples, **of_study
        )
        click.echo(f"\nCost of {samples:,} samples:\n{cost_estimate.cost_text(lines, systems)}")
