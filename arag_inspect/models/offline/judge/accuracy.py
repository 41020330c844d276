"""Accuracy by rule: the figures agree, and enough words are the same."""

import re

from ....quantities import extract_quantities
from ....quantities.answers import match_answer, read_gold
from ....text.content_words import content_stems
from ....text.sentences import sentences
from .overlap import support
from .prompt_parsing import JudgePrompt, JudgeRule, Opinion

_SHARED = 0.35
"""Share of the gold answer that an answer must have.

Its content words and the figures of its first sentence count half each.
"""

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
    _REFUSAL.pattern
    + r"|\b(?:cannot|can't|can not|unable to|could not|couldn't|would need|(?:not|im)possible to)\b"
    r"|\b(?:no (?:specific )?|not enough |insufficient )(?:information|data|mention)\b"
    r"|\bnot (?:explicitly )?(?:stated|given|specified|included)\b|\b(?:do not|don't) have specific\b"
    r"|\bwithout (?:access|more|additional|further)\b|\bI(?: am|'m) sorry\b|\bI apologize\b|\bAs an AI\b",
    re.IGNORECASE,
)
"""Words of an answer in prose that withholds part of the answer."""

_YES_NO = re.compile(r"^\W*(?P<word>yes|no)\b", re.IGNORECASE)


def verdict(prompt: JudgePrompt) -> Opinion:
    """Compare the answer with the gold answers; agreement with one suffices."""
    question, answer = prompt.text("question") or "", prompt.text("answer") or ""
    golds = [block.text for block in prompt.all("gold")]
    if any(_same(answer, gold, question) for gold in golds):
        return _reply("it agrees with the gold answer", "CORRECT")
    if _REFUSAL.search(answer) and not any(_REFUSAL.search(gold) for gold in golds):
        return _reply("it says that it has no answer", "REFUSAL")
    return _reply("neither figures nor words are those of the gold answer", "INCORRECT")


def _same(answer: str, gold: str, question: str) -> bool:
    if _NUMBER.fullmatch(gold) and (expected := read_gold(gold, question)):
        return match_answer(answer, expected, _TOLERANCE, _AMONG).matched
    if _RESERVED.search(answer) and not _RESERVED.search(gold):
        return False
    answer_word, gold_word = _YES_NO.match(answer), _YES_NO.match(gold)
    if gold_word and answer_word:
        return answer_word["word"].lower() == gold_word["word"].lower()
    words = content_stems(gold)
    if not words:
        return gold.strip().lower() in answer.lower()
    word_share = len(words & content_stems(answer)) / len(words)
    decisive = gold if gold_word else next(iter(sentences(gold)), "")  # the rest explains
    if all(figure.unit in ("date", "year") for figure in extract_quantities(decisive)):
        return word_share >= _SHARED
    figure_share = support(decisive, answer).figures
    return (word_share + figure_share) / 2 >= _SHARED and (figure_share == 1 or bool(gold_word))


def refused(prompt: JudgePrompt) -> Opinion:
    """Tell by its phrases whether an answer declines."""
    if _REFUSAL.search(prompt.text("answer") or ""):
        return _reply("it says that it has no answer", "REFUSED")
    return _reply("no phrase of it declines", "ANSWERED")


def _reply(reasoning: str, outcome: str) -> Opinion:
    return Opinion(f"By rule, {reasoning}.", outcome)


RULES = (
    JudgeRule("The verdict is CORRECT, INCORRECT or REFUSAL", verdict),
    JudgeRule("The verdict is REFUSED or ANSWERED", refused),
)
"""Speaks the protocols of `prompts/judge/accuracy.md` and `abstention.md`."""
