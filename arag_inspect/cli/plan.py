"""`arag-inspect plan`: how many samples a run needs, and what they cost."""

from typing import Any

import click

from ._options import MODELS, parse_assignments, split_names, study_options


@click.command()
@study_options
@click.option(
    "--effect",
    type=click.FloatRange(min=0, min_open=True),
    required=True,
    metavar="D",
    help="Difference to be found, in standard deviations of the paired differences, e.g. 0.3.",
)
@click.option(
    "--power",
    type=click.FloatRange(0.05, 0.999),
    default=0.8,
    show_default=True,
    help="Chance of finding it.",
)
@click.option("--model", type=MODELS, metavar="M", help="Model to run, for the cost.")
def plan(
    task: str,
    effect: float,
    power: float,
    systems: str,
    model: str | None,
    grader: str | None,
    parameters: tuple[str, ...],
    **options: Any,
) -> None:
    """Say how many samples and companies TASK needs to show a difference, and what they cost.

    By the statistics of the report: companies are the independent units, and primary measures
    are corrected by Holm's method. Nothing is run but a dry pass for the cost, without a model.
    """
    from ..workflows import budget

    names, options["parameters"] = split_names(systems), parse_assignments("-T", parameters)
    result = budget.plan_run(task, names, effect, power=power, **options)
    click.echo(budget.plan_text(result, effect, power))
    if model is not None:
        samples = result.samples if options["limit"] is None else result.there[0]
        models, graders = split_names(model), split_names(grader)
        lines = budget.estimate_cost(task, names, models, graders, samples=samples, **options)
        click.echo(f"\nCost of {samples:,} samples:\n{budget.cost_text(lines)}")
