"""`arag-inspect plan`: how many samples a run needs, and what they cost."""

import click

from ._options import MODELS, limit_options, parse_assignments, split_names


@click.command()
@click.argument("task")
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
@click.option(
    "--systems",
    default="arag,naive_rag,stuffing",
    show_default=True,
    help="Systems to compare, separated by commas.",
)
@click.option("--model", type=MODELS, metavar="M", help="Model to run, for the cost.")
@click.option("--grader", type=MODELS, metavar="G[,G2]", help="Models to judge, for the cost.")
@limit_options
@click.option(
    "--earlier",
    multiple=True,
    metavar="LOGS",
    help="Logs that say how much differences vary, and what a sample costs.",
)
@click.option(
    "-T", "parameters", multiple=True, metavar="NAME=VALUE", help="More parameters of the task."
)
def plan(
    task: str,
    effect: float,
    power: float,
    systems: str,
    model: str | None,
    grader: str | None,
    limit: int | None,
    sample_seed: int,
    earlier: tuple[str, ...],
    parameters: tuple[str, ...],
) -> None:
    """Say how many samples and companies TASK needs to show a difference, and what they cost.

    By the statistics of the report: companies are the independent units, and primary measures
    are corrected by Holm's method. Nothing is run but a dry pass for the cost, without a model.
    """
    from ..workflows import estimate_cost
    from ..workflows.plan_run import plan_run, to_text

    names, values = split_names(systems), parse_assignments("-T", parameters)
    result = plan_run(
        task,
        names,
        effect,
        power=power,
        parameters=values,
        earlier=earlier,
        limit=limit,
        sample_seed=sample_seed,
    )
    click.echo(to_text(result, effect, power))
    if model is not None:
        samples = result.samples if limit is None else result.there[0]
        lines = estimate_cost.estimate_cost(
            task,
            names,
            split_names(model),
            split_names(grader),
            limit=limit,
            sample_seed=sample_seed,
            samples=samples,
            parameters=values,
            earlier=earlier,
        )
        click.echo(f"\nCost of {samples:,} samples:\n\n{estimate_cost.to_text(lines)}")
