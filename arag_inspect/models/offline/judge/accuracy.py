"""Accuracy by rule: the figures agree, and enough words are the same."""

import re
from dataclasses import replace
from statistics import fmean

from ....quantities import Quantity, compare, extract_quantities
from ....quantities.answer_matching import match_number
from ....quantities.expected_answer import expect
from ....quantities.quantity import Scale
from ....text.sentences import sentences
from ....text.stems import content_stems
from .prompt_parsing import JudgePrompt, Opinion, Rule

_SHARED = 0.35
"""Share of the gold answer's content words, and of the figures of its first sentence, counting half each, that an answer must have."""

_NUMBER = re.compile(
    r"\W*+[\d,]*\.?\d+\s*(?:%|percent|thousand|million|billion|USD|times|x)?\W*",
    re.IGNORECASE,
)
"""A gold answer that is a number and nothing else."""

_TOLERANCE, _AMONG = 0.01, 4
"""As `numeric_match` has them by default."""

_REFUSAL = re.compile(
    r"\b(?:cannot|can't|can not|unable to|could not|couldn't)\s+(?:be\s+)?(?:answer|determine|find|say|tell)"
    r"|\b(?:do not|don't|does not|doesn't) (?:know|have (?:enough|the|any|access)|contain|provide|mention)"
    r"|\b(?:no|not enough|insufficient) information\b|\bnot (?:available|provided|mentioned|disclosed)\b"
    r"|\bknows? nothing\b",
    re.IGNORECASE,
)
_RESERVED = re.compile(
    r"\b(?:cannot|can't|can not|unable to|could not|couldn't|would need|(?:not|im)possible to)\b"
    r"|\b(?:no (?:specific )?|not enough |insufficient )(?:information|data|mention)\b"
    r"|\bnot (?:explicitly )?(?:stated|given|specified|included)\b|\b(?:do not|don't) have specific\b"
    r"|\bwithout (?:access|more|additional|further)\b|\bI(?: am|'m) sorry\b|\bI apologize\b|\bAs an AI\b",
    re.IGNORECASE,
)
"""Words of an answer in prose that withholds part of the answer."""

_SCALE = re.compile(r"\b(?P<scale>thousand|million|billion|trillion)s?\b", re.IGNORECASE)
_YES_NO = re.compile(r"^\W*(?P<word>yes|no)\b", re.IGNORECASE)
_SCALES: dict[str, Scale] = {
    "thousand": "thousand",
    "million": "million",
    "billion": "billion",
    "trillion": "trillion",
}


def verdict(asked: JudgePrompt) -> Opinion:
    """Compare the answer with each gold answer; any that it agrees with suffices.

    On 1,200 answers of FinanceBench that people marked, threshold and phrases
    chosen on the same 150 questions, see `docs/human-agreement.md`.
    """
    question, answer = asked.text("question") or "", asked.text("answer") or ""
    golds = asked.texts("gold")
    if any(_same(answer, gold, question) for gold in golds):
        return _reply("it agrees with the gold answer", "CORRECT")
    if _REFUSAL.search(answer) and not any(_REFUSAL.search(gold) for gold in golds):
        return _reply("it says that it has no answer", "REFUSAL")
    return _reply("neither figures nor words are those of the gold answer", "INCORRECT")


def _same(answer: str, gold: str, question: str) -> bool:
    said, meant = _YES_NO.match(answer), _YES_NO.match(gold)
    decisive = gold if meant else next(iter(sentences(gold)), "")  # the rest explains
    figures = extract_quantities(decisive)
    wanted = [figure for figure in figures if figure.unit not in ("date", "year")]
    given = extract_quantities(answer) if wanted else []
    if _NUMBER.fullmatch(gold) and (expected := expect(None, gold, question)):
        return match_number(answer, expected, _TOLERANCE, _AMONG).matched or (
            len(given) == 1 and any(_equal(given[0], figure, question) for figure in wanted)
        )
    if _withholds(answer) and not _withholds(gold):
        return False
    if meant and said:
        return said["word"].lower() == meant["word"].lower()
    words = content_stems(gold)
    if not words:
        return gold.strip().lower() in answer.lower()
    shared = len(words & content_stems(answer)) / len(words)
    if not wanted:
        return shared >= _SHARED
    stated = fmean(any(_equal(one, figure, question) for one in given) for figure in wanted)
    return (stated == 1 or meant is not None) and (shared + stated) / 2 >= _SHARED


def _withholds(text: str) -> bool:
    return bool(_REFUSAL.search(text) or _RESERVED.search(text))


def refused(asked: JudgePrompt) -> Opinion:
    """Tell by its phrases whether an answer declines."""
    if _REFUSAL.search(asked.text("answer") or ""):
        return _reply("it says that it has no answer", "REFUSED")
    return _reply("no phrase of it declines", "ANSWERED")


def _equal(given: Quantity, gold: Quantity, question: str) -> bool:
    """Return whether two figures are equal: either may be rounded; a bare gold number has the
    question's scale.
    """
    return any(
        given.negative == reading.negative
        and (_supports(given, reading) or _supports(reading, given))
        for reading in _readings(gold, given, question)
    )


def _supports(claim: Quantity, source: Quantity) -> bool:
    return compare(_bare(claim), _bare(source)).outcome == "supported"


def _readings(gold: Quantity, given: Quantity, question: str) -> list[Quantity]:
    """Return the possible readings of a gold figure."""
    if gold.unit == given.unit or gold.unit not in ("count", "currency", "year"):
        return [gold, *_scaled(gold, question)]
    bare = replace(gold, unit=given.unit, currency=gold.currency or given.currency)
    return [gold, bare, *_scaled(bare, question)]


def _scaled(gold: Quantity, question: str) -> list[Quantity]:
    named = _SCALE.search(question)
    if gold.scale != "one" or named is None:
        return []
    return [replace(gold, scale=_SCALES[named["scale"].lower()])]


def _bare(figure: Quantity) -> Quantity:
    """Return the quantity alone, without metric, period and direction."""
    return Quantity(
        text=figure.text,
        span=figure.span,
        sentence=figure.sentence,
        value=figure.value,
        decimals=figure.decimals,
        unit=figure.unit,
        value_high=figure.value_high,
        decimals_high=figure.decimals_high,
        scale=figure.scale,
        currency=figure.currency,
        hedged=figure.hedged,
    )


def _reply(reasoning: str, outcome: str) -> Opinion:
    return Opinion(f"By rule, {reasoning}.", outcome)


RULES = (
    Rule("The verdict is CORRECT, INCORRECT or REFUSAL", verdict),
    Rule("The verdict is REFUSED or ANSWERED", refused),
)
"""Speaks the protocols of `prompts/judge/accuracy.md` and `abstention.md`."""
