"""`arag-inspect validate`: does a judge tell good from bad?"""

from pathlib import Path
from textwrap import fill
from typing import Annotated

import click

from .._util.errors import echo
from ._command import (
    AT_LEAST_1,
    MODELS,
    Estimating,
    command,
    forward,
    parse_assignments,
    split_names,
)

_LONGEST = 100_000
"""Most characters of a table."""


@command(Estimating)
def validate(
    task: str,
    *,
    model: Annotated[str, MODELS, "M"],
    grader: Annotated[str, MODELS, "G[,G2]"],
    limit: Annotated[int, AT_LEAST_1, "N"] = 30,
    seed: int = 0,
    estimate: bool = False,
    max_dollars: Annotated[float | None, click.FloatRange(min=0, min_open=True), "USD"] = None,
    human: Annotated[str | None, "SET"] = None,
    source: Annotated[Path | None, "DIR|FILE"] = None,
    parameters: Annotated[tuple[str, ...], "-T", "NAME=VALUE"] = (),
    log_dir: Annotated[str | None, "DIR"] = None,
    out: Annotated[Path, "-o --out", "DIR"] = Path("results"),
) -> None:
    """Check whether a judge tells good from bad.

    TASK is e.g. ectsum. Do the closed book, retrieval and the gold evidence rank as they must? Which inserted errors
    and which untouched texts does it mark down? Is it swayed by length or by instructions, does
    it keep its mind, can its verdicts be read, and does it agree with people? Writes a page and a
    card, which `report` and `gate` read. The same command resumes an interrupted run.

    Args:
        task: Name of the task.
        model: Model that answers.
        grader: Models to judge with.
        limit: Good texts, and samples of each system.
        seed: Seed of the samples and the errors.
        estimate: Print what it will cost, and do not run it.
        max_dollars: Do not begin if the estimate is above, and stop before more is spent.
        human: Set of human labels, as in meta-eval human.
        source: Folder with its files, or one of them. [default: datasets/human/SET]
        parameters: More parameters of the task, e.g. -T scorers=geval_faithfulness.
        log_dir: Folder of the logs. [default: logs/validate-TASK]
        out: Folder of results, where the card is written to judge-cards.
    """
    from ..report.judge_card import CARDS, card_tables
    from ..report.write import slug
    from ..workflows import budget
    from ..workflows import validate as validating

    labels = (human, source or Path("datasets") / "human" / Path(human).stem) if human else None
    assigned = parse_assignments("-T", parameters)
    material = forward(validating.gather, parameters=assigned, labels=labels)
    graders = split_names(grader)
    lines = validating.estimate(material, model, graders)
    click.echo(f"{budget.cost_text(lines)}\n")
    if estimate:
        return
    if max_dollars is not None:
        budget.check_budget(lines, max_dollars)
    options = {"log_dir": log_dir or f"logs/validate-{task.split('/')[-1]}", "lines": lines}
    card = forward(validating.validate, material=material, graders=graders, **options)
    folder = out / CARDS.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{slug(f'{card.task}-{card.judge}')}.json"
    path.write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    tables = card_tables(card)
    title = f"The judge {card.judge} on {card.task} {'passes' if card.passed else 'fails'}"
    blocks = [f"# {title}", card.summary, *(table.as_markdown() for table in tables)]
    path.with_suffix(".md").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    echo(fill(f"{title}: {card.summary}.", 80))
    for table in tables:
        echo(f"\n{table.as_text()}", longest=_LONGEST)
    click.echo(f"Card: {path}")
