"""`arag-inspect doctor`: installed and missing parts, and the answer of a live system."""

from textwrap import fill
from typing import Annotated

from .._util.errors import echo
from ._command import MODELS, Assignments, command, parse_assignments


@command()
def doctor(
    *,
    system: Annotated[str | None, "TARGET"] = None,
    corpus: Annotated[str | None, "NAME"] = None,
    question: Annotated[str | None, "TEXT"] = None,
    parameters: Annotated[Assignments, "-S"] = (),
    model: Annotated[str, MODELS] = "none",
    log_dir: str = "logs/check-system",
) -> None:
    """Show what is installed and configured, and what is missing.

    With --system: show the request sent to a live system, how its answer was understood, and what
    is missing for each measure.

    Args:
        system: Ask this live system one question: file.py:function, module:function or http://...
        corpus: Prepared corpus; its first sample is asked.
        question: Question to ask instead.
        parameters: Parameters of the system.
        model: Model behind an agent bridge.
        log_dir: Folder of the log.
    """
    from ..run.check_system import check_system
    from ..run.doctor import examine

    if system is None:
        for check in examine():
            line = f"{check.state:7} {check.name:12} {check.detail}"
            echo(fill(line, 80, subsequent_indent=" " * 21, break_on_hyphens=False))
        return
    result = check_system(
        system,
        parse_assignments("-S", parameters),
        corpus=corpus,
        question=question,
        model=model,
        log_dir=log_dir,
    )
    echo("Sent:       " + result.sent.replace("\n", f"\n{' ' * 12}"))
    line = " ".join(result.answer.split())
    echo(f"Answer:     {line if len(line) <= 300 else f'{line[:300]}…'}")
    for text in result.understood:
        echo(f"Understood: {text}")
    for text in result.missing:
        echo(f"Missing:    {text}")
    echo(f"Log:        {result.log}")
