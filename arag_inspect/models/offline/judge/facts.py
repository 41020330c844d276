"""Facts by rule: sentences are facts, and two match when figures or words agree."""

import json
import re
from collections.abc import Sequence

from ....quantities import Statement, StatementMatch, match_claim, match_fact, read_statement
from ..summarizer import Passage, summarize
from .overlap import sentences
from .prompt_parsing import JudgePrompt, Opinion, Rule

_IDS = re.compile(r"Take the facts (?P<ids>[GP\d, ]+) of `<(?P<tag>\w+)>`")
_LINE = re.compile(r"^(?P<code>[GP]\d+): (?P<text>.*)$", re.MULTILINE)
_WORDS = 120
"""Length of the summary whose sentences are the facts of a document."""


def listed(asked: JudgePrompt) -> Opinion:
    """Return the sentences of a text."""
    return _reply(sentences(asked.text("source") or ""))


def chosen(asked: JudgePrompt) -> Opinion:
    """Return the sentences of an extractive summary of a document."""
    text = asked.text("source") or ""
    return _reply(sentences(summarize([Passage(0, text)], _WORDS)) if text.strip() else [])


def matched(asked: JudgePrompt) -> Opinion:
    """Match by figures, or by words if a statement has no figure.

    A gold fact is stated by the prediction that has most of its figures; a
    prediction is supported when the gold facts have half of its figures.
    """
    request = _IDS.search(asked.words)
    if request is None:
        return Opinion("", json.dumps({"verdicts": []}))
    gold, said = _read(asked, "gold_facts"), _read(asked, "predicted_facts")
    own, other = (gold, said) if request["tag"] == "gold_facts" else (said, gold)
    search = match_fact if own is gold else match_claim
    codes, statements = list(other), list(other.values())
    wanted = [code for code in request["ids"].split(", ") if code in own]
    verdicts = [_verdict(code, search(own[code], statements), codes) for code in wanted]
    return Opinion("", json.dumps({"verdicts": verdicts}))


def _verdict(code: str, found: StatementMatch, codes: Sequence[str]) -> dict[str, str | None]:
    stated = found.verdict == "stated" and found.position is not None
    return {
        "id": code,
        "reasoning": f"By rule: {found.verdict}, {found.share:.0%} of its figures or words.",
        "match": codes[found.position] if stated and found.position is not None else None,
    }


def _read(asked: JudgePrompt, tag: str) -> dict[str, Statement]:
    lines = _LINE.finditer(asked.text(tag) or "")
    return {line["code"]: read_statement(line["text"]) for line in lines}


def _reply(facts: Sequence[str]) -> Opinion:
    listed = [{"description": fact, "type": ""} for fact in facts]
    return Opinion("", json.dumps({"facts": listed}))


RULES = (
    Rule("You take a text apart into the facts", listed),
    Rule("You choose the facts that a good summary", chosen),
    Rule("You list what clients say of themselves", listed),
    Rule("You match two lists of facts", matched),
)
