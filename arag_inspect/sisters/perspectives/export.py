"""The two-sided summaries of a run, for `perspectives.jsonl` of a report."""

from typing import Any

from arag_inspect._util.json_reply import ReplyParseError
from arag_inspect.report import Run

from .two_sided import read_summary


def two_sided_outputs(run: Run) -> list[dict[str, Any]]:
    """Return the two-sided summaries of a run, one record per answer.

    Each is a plain list `[{claim, perspectives}]`.

    Answers of another form are left out, and so is the stance: in a valid summary
    the first claim is the one in favour.
    """
    return [
        {"id": sample.id, "question": sample.input, "output": output}
        for sample in run.samples
        if (output := _claims(sample.answer if sample.finished else "")) is not None
    ]


def _claims(answer: str) -> list[dict[str, Any]] | None:
    if '"claims"' not in answer:
        return None
    try:
        claims = read_summary(answer).claims
    except ReplyParseError:
        return None
    ordered = sorted(claims, key=lambda claim: claim.stance, reverse=True)
    return [claim.model_dump(exclude={"stance"}) for claim in ordered]
