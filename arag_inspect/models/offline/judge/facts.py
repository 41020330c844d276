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


def list_sentences(prompt: JudgePrompt) -> Opinion:
    """Return the sentences of a text."""
    return _reply(sentences(prompt.text("source") or ""))


def choose_sentences(prompt: JudgePrompt) -> Opinion:
    """Return the sentences of an extractive summary of a document."""
    text = prompt.text("source") or ""
    return _reply(sentences(summarize([Passage(0, text)], _WORDS)) if text.strip() else [])


def match_facts(prompt: JudgePrompt) -> Opinion:
    """Match by figures, or by words if a statement has no figure.

    A gold fact is stated by the prediction that has most of its figures; a
    prediction is supported when the gold facts have half of its figures.
    """
    request = _IDS.search(prompt.words)
    if request is None:
        return Opinion("", json.dumps({"verdicts": []}))
    gold, predicted = _read(prompt, "gold_facts"), _read(prompt, "predicted_facts")
    own, other = (gold, predicted) if request["tag"] == "gold_facts" else (predicted, gold)
    search = match_fact if own is gold else match_claim
    codes, statements = list(other), list(other.values())
    requested = [code for code in request["ids"].split(", ") if code in own]
    verdicts = [_verdict(code, search(own[code], statements), codes) for code in requested]
    return Opinion("", json.dumps({"verdicts": verdicts}))


def _verdict(code: str, match: StatementMatch, codes: Sequence[str]) -> dict[str, str | None]:
    stated = match.verdict == "stated" and match.position is not None
    return {
        "id": code,
        "reasoning": f"By rule: {match.verdict}, {match.share:.0%} of its figures or words.",
        "match": codes[match.position] if stated and match.position is not None else None,
    }


def _read(prompt: JudgePrompt, tag: str) -> dict[str, Statement]:
    lines = _LINE.finditer(prompt.text(tag) or "")
    return {line["code"]: read_statement(line["text"]) for line in lines}


def _reply(facts: Sequence[str]) -> Opinion:
    rows = [{"description": fact, "type": ""} for fact in facts]
    return Opinion("", json.dumps({"facts": rows}))


RULES = (
    Rule("You take a text apart into the facts", list_sentences),
    Rule("You choose the facts that a good summary", choose_sentences),
    Rule("You list what clients say of themselves", list_sentences),
    Rule("You match two lists of facts", match_facts),
)
