"""The two-sided summaries of a run, for `perspectives.jsonl` of a report."""

from typing import Any

from arag_inspect._util.json_text import ReplyParseError
from arag_inspect.report.benchmark import Benchmark

from .two_sided import read_summary


def two_sided_outputs(benchmark: Benchmark, system: str) -> list[dict[str, Any]]:
    """Return the two-sided summaries of a system, one record per answer.

    Each is a plain list `[{claim, perspectives}]`.

    Answers of another form are left out, and so is the stance: in a valid summary
    the first claim is the one in favour.
    """
    answers = benchmark.finished[benchmark.finished["system"] == system]
    return [
        {"id": answer.id, "question": answer.input, "output": output}
        for answer in answers.itertuples()
        if (output := _claims(answer.text)) is not None
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
