"""`arag-inspect plan`: how many samples a run needs, and what they cost."""

from typing import Annotated, Any

import click

from ._command import command
from ._options import MODELS, split_names, study


@command()
def plan(
    task: str,
    *,
    of_study: Annotated[dict[str, Any], study],
    effect: Annotated[float, click.FloatRange(min=0, min_open=True), "D"],
    power: Annotated[float, click.FloatRange(0.05, 0.999)] = 0.8,
    model: Annotated[str | None, MODELS, "M"] = None,
) -> None:
    """Say how many samples a run needs, and what they cost.

    Samples and companies that TASK needs to show a difference, by the statistics of the report:
    companies are the independent units, and primary measures are corrected by Holm's method. Nothing is run but a dry pass for the cost, without a model.

    Args:
        task: Name of the task.
        of_study: Systems and samples.
        effect: Difference to be found, in standard deviations of the paired differences, e.g. 0.3.
        power: Chance of finding it.
        model: Model to run, for the cost.
    """
    from ..workflows import budget
    from ..workflows.plan import plan_run, plan_text

    graders, systems = of_study.pop("graders"), of_study.pop("systems")
    result = plan_run(task, systems, effect, power=power, **of_study)
    click.echo(plan_text(result, effect, power))
    if model is not None:
        samples = result.samples if of_study["limit"] is None else result.there[0]
        lines = budget.estimate_cost(
            task, systems, split_names(model), graders, samples=samples, **of_study
        )
        click.echo(f"\nCost of {samples:,} samples:\n{budget.cost_text(lines, systems)}")
