"""`arag-inspect check-system`: one question to a live system."""

import click

from .._util.errors import echo
from ._options import MODELS, parse_assignments


@click.command("check-system")
@click.argument("target")
@click.option("--corpus", metavar="NAME", help="Prepared corpus; its first sample is asked.")
@click.option("--question", metavar="TEXT", help="Question to ask instead.")
@click.option(
    "-S", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameters of the target."
)
@click.option("--model", type=MODELS, default="none", help="Model behind an agent bridge.")
@click.option("--log-dir", default="logs/check-system", show_default=True)
def check_system(
    target: str,
    corpus: str | None,
    question: str | None,
    parameters: tuple[str, ...],
    model: str,
    log_dir: str,
) -> None:
    """Send one question to TARGET (file.py:function, module:function or http://...).

    Prints what was sent, what was understood of its answer, and what is missing for which measure.
    """
    from ..workflows.check_system import check_system as check

    result = check(
        target,
        parse_assignments("-S", parameters),
        corpus=corpus,
        question=question,
        model=model,
        log_dir=log_dir,
    )
    echo("Sent:       " + result.sent.replace("\n", f"\n{' ' * 12}"))
    echo(f"Answer:     {_short(result.answer)}")
    for line in result.understood:
        echo(f"Understood: {line}")
    for line in result.missing:
        echo(f"Missing:    {line}")
    echo(f"Log:        {result.log}")


def _short(text: str, most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"
