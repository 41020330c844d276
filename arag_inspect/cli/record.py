"""`arag-inspect record`: keep the replies of a run, to be replayed without its models."""

from pathlib import Path
from typing import Annotated

from .._util.errors import InputError, echo
from .._util.wording import format_count
from ._command import FILE, command


@command()
def record(
    logs: tuple[str, ...],
    *,
    out: Annotated[Path, FILE, "-o --out"],
    note: str = "",
) -> None:
    """Save the replies of a run, to replay it without models.

    `--model recorded/FILE.jsonl` answers and judges with these replies: tools and programmatic
    scorers run, and nothing is paid.

    Args:
        logs: Logs of one run of each system, or folders of them.
        out: File to write, with the ending .jsonl.
        note: How the run was made and what it cannot show, for the reader of a report.
    """
    from ..models.recorded.recording import ENDING
    from ..run.record import record_logs

    if out.suffix != ENDING:
        raise InputError(f"--out {out} must end in {ENDING}, the ending of recordings")
    result = record_logs(logs)
    result.recording(note).write(out)
    echo(f"Recorded {format_count(len(result.replies), 'reply')} in {out}.")
    if result.failed:
        echo(f"Left out: {format_count(result.failed, 'failed sample')}.", err=True)
    for model, count in result.unnamed.items():
        echo(f"Left out: {format_count(count, 'reply')} of {model} without a sample.", err=True)
