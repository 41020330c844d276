"""`arag-inspect doctor`: what is installed and what is missing; what a live system answers."""

from typing import Any

import click

from .._util.errors import echo
from ._options import MODELS, parse_assignments


@click.command()
@click.option(
    "--system",
    metavar="TARGET",
    help="Ask this live system one question: file.py:function, module:function or http://...",
)
@click.option("--corpus", metavar="NAME", help="Prepared corpus; its first sample is asked.")
@click.option("--question", metavar="TEXT", help="Question to ask instead.")
@click.option(
    "-S", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameters of the system."
)
@click.option("--model", type=MODELS, default="none", help="Model behind an agent bridge.")
@click.option("--log-dir", default="logs/check-system", show_default=True)
def doctor(system: str | None, parameters: tuple[str, ...], **options: Any) -> None:
    """Report what is installed, which keys are set (by name), and how to fix the rest.

    With --system: what was sent to a live system, what was understood of its
    answer, and what is missing for which measure.
    """
    from ..workflows import doctor as examination

    if system is None:
        for check in examination.examine():
            echo(f"{check.state:8} {check.name:22} {check.detail}")
        return
    result = examination.check_system(system, parse_assignments("-S", parameters), **options)
    echo("Sent:       " + result.sent.replace("\n", f"\n{' ' * 12}"))
    line = " ".join(result.answer.split())
    echo(f"Answer:     {line if len(line) <= 300 else f'{line[:300]}…'}")
    for text in result.understood:
        echo(f"Understood: {text}")
    for text in result.missing:
        echo(f"Missing:    {text}")
    echo(f"Log:        {result.log}")
