"""`arag-inspect validate`: does a judge distinguish good texts from bad ones?"""

from textwrap import fill
from typing import Annotated

import click

from .._util.errors import echo
from .._util.names import short_name
from .._util.wording import join_names
from ._command import (
    AT_LEAST_1,
    MODELS,
    command,
    parse_assignments,
    split_names,
)

_LONGEST = 100_000
"""Maximum characters of a table."""


@command()
def validate(
    task: str,
    *,
    model: Annotated[str, MODELS, "M"],
    grader: Annotated[str, MODELS, "G[,G2]"],
    limit: Annotated[int, AT_LEAST_1, "N"] = 30,
    seed: int = 0,
    estimate: bool = False,
    max_dollars: Annotated[float | None, click.FloatRange(min=0, min_open=True), "USD"] = None,
    parameters: Annotated[tuple[str, ...], "-T", "NAME=VALUE"] = (),
    prices: Annotated[str | None, "FILE", "--model-cost-config"] = None,
    log_dir: Annotated[str | None, "DIR"] = None,
) -> None:
    """Check whether a judge can tell good texts from bad ones.

    TASK is a task such as ectsum. Do closed book, retrieval and gold evidence rank in the expected
    order? Which inserted errors, and which untouched texts, does the judge mark down? Is it swayed
    by length or by instructions, is it consistent, and can its verdicts be parsed? The result is an
    Inspect log with one sample per question. The same command resumes an interrupted run.

    Args:
        task: Name of the task.
        model: Model that answers.
        grader: Models to judge with.
        limit: Number of good texts, and of samples per system.
        seed: Random seed for the samples and the errors.
        estimate: Print what it will cost, and stop.
        max_dollars: Do not start if the estimate exceeds this, and stop before more is spent.
        parameters: Parameters of the task, e.g. -T scorers=geval_faithfulness.
        prices: Prices of the models, as for Inspect.
        log_dir: Folder of the logs. [default: logs/validate-TASK]
    """
    from ..run import validate as validating
    from ..run.planning.cost_estimate import check_budget
    from ..run.planning.cost_text import cost_text
    from ..validity.validation import validation_tables, write_validation

    inputs = validating.gather_inputs(
        task,
        model,
        split_names(grader),
        limit=limit,
        seed=seed,
        parameters=parse_assignments("-T", parameters),
        prices=prices,
    )
    lines = validating.estimate(inputs)
    click.echo(f"{cost_text(lines)}\n")
    if estimate:
        return
    if max_dollars is not None:
        check_budget(lines, max_dollars)
    folder = log_dir or f"logs/validate-{short_name(task)}"
    validation = validating.validate(inputs, log_dir=folder, lines=lines, max_dollars=max_dollars)
    echo(fill(f"{validation.summary}.", 80))
    if validation.unchecked:
        names = join_names(validation.unchecked)
        text = f"Not checked: {names}, for which there are no texts with a known verdict."
        echo(fill(f"{text} Only marks of people show whether they are right.", 80))
    for table in validation_tables(validation):
        echo(f"\n{table.as_text()}", longest=_LONGEST)
    click.echo(f"Log: {write_validation(validation, folder)}")
