"""Grades by rule, from shared words and figures: of summaries, and of answers to questions.

Error codes and criteria are well-formed replies only: they let every task run without a key.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ....figures import extract_quantities, verify_claims
from ....figures.answers import match_answer, read_gold
from ....measure import DEFAULT_SCALE
from ....text.content_words import content_stems
from ....text.sentences import declines, sentences
from .protocol import JudgePrompt, JudgeRule, Opinion

_WORD = re.compile(r"[a-z]{3,}|\d[\d.,]*\d|\d")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for with that this from are was were has have had our their its but not all will "
        "also which into than then they we you about over more",
    )
)
SUPPORTED = 0.6
"""Share of a sentence's words that one sentence of the other text must contain."""


class Support(NamedTuple):
    """How well one text supports another."""

    words: float
    """Share of sentences whose words occur in one sentence of the other text."""

    figures: float
    """Share of figures that the other text supports."""


def support(text: str, other: str) -> Support:
    """Measure how well `other` supports `text`."""
    word_sets = [words for sentence in sentences(text) if (words := word_set(sentence))]
    covered = [
        any(len(words & others) / len(words) >= SUPPORTED for others in _word_sets(other))
        for words in word_sets
    ]
    claims = verify_claims(text, [other])
    supported = [claim.verdict in ("supported", "unsettled") for claim in claims]
    return Support(
        words=sum(covered) / len(covered) if covered else 0.0,
        figures=sum(supported) / len(supported) if supported else 1.0,
    )


@lru_cache(maxsize=64)
def _word_sets(text: str) -> tuple[set[str], ...]:
    """Return the words of each sentence, cached for all comparisons with the text."""
    return tuple(word_set(sentence) for sentence in sentences(text))


def word_set(sentence: str) -> set[str]:
    """Return the words and numbers that carry the content of a sentence."""
    return set(_WORD.findall(sentence.lower())) - _STOP


_SCALE = re.compile(r"one final integer from (\d+) to (\d+)")
_CRITERION = re.compile(r"^\d+\.\s+\*\*(?P<name>[^*]+?)\.?\*\*", re.MULTILINE)
_CRITICAL = 2


def severity(prompt: JudgePrompt) -> Opinion:
    """Grade by the smaller share of supported sentences and figures.

    The grade is 1 + 4 times that share, rounded; a contradicted figure is critical.
    Compared with the source, or with the reference if there is no source.
    """
    summary = prompt.text("summary") or ""
    other = prompt.text("source") or prompt.text("reference") or ""
    shares, errors = support(summary, other), _contradicted(summary, other)
    score = 1 + round(4 * min(shares))
    reasoning = (
        f"By rule, {shares.words:.0%} of sentences and {shares.figures:.0%} of figures have "
        f"support; contradicted: {', '.join(errors) or 'none'}."
    )
    return Opinion(reasoning, str(min(score, _CRITICAL) if errors else score))


def criteria(prompt: JudgePrompt) -> Opinion:
    """Return five fixed criteria."""
    names = ("Figures", "Subjects", "Periods", "Statements", "Additions")
    levels = {"low": "none has.", "middle": "half of them have.", "high": "all have."}
    items = [{"name": name, "checks": f"{name} of the summary have support."} for name in names]
    return Opinion("", {"criteria": [item | levels for item in items]})


def grade(prompt: JudgePrompt) -> Opinion:
    """Grade by rule.

    Against a source: are the summary's sentences and figures supported by it?
    Against a reference: are the reference's sentences and figures stated by the
    summary? The score is the smaller of both shares, scaled from the
    lowest score to the highest, rounded.
    """
    summary = prompt.text("summary") or ""
    reference, source = prompt.text("reference"), prompt.text("source")
    shares = Support(1.0, 1.0)
    if reference is not None:
        shares = support(reference, summary)
    elif source is not None:
        shares = support(summary, source)
    low, high = map(int, (_SCALE.findall(prompt.words) or [DEFAULT_SCALE])[-1])
    score = low + round((high - low) * min(shares))
    lines = [
        f"Criterion {number} ({name}): by rule, {shares.words:.0%} of sentences and "
        f"{shares.figures:.0%} of figures have support. Score: {score}"
        for number, name in enumerate(_CRITERION.findall(prompt.words), start=1)
    ]
    if reference is not None and "`items`" in prompt.words:
        items = _marked(sentences(reference), summary, score, (low, high), ("stated", "missing"))
        return Opinion("\n".join(lines), {"items": items, "score": score})
    if source is None or reference is not None:
        return Opinion("\n".join(lines), str(score))
    names = ("supported", "absent")
    statements = _marked(sentences(summary), source, score, (low, high), names)
    for statement in statements:
        if statement["verdict"] == "absent" and _contradicted(statement["text"], source):
            statement["verdict"] = "contradicted"
    return Opinion("\n".join(lines), {"statements": statements, "score": score})


def _marked(
    texts: list[str], other: str, score: int, scale: tuple[int, int], names: tuple[str, str]
) -> list[dict[str, str]]:
    """List texts as supported by another or not; all alike if the score is an end of its scale."""
    low, high = scale
    entries = []
    for text in filter(word_set, texts):
        is_good = score == high or (score > low and min(support(text, other)) == 1)
        entries.append({"text": " ".join(text.split()), "verdict": names[0 if is_good else 1]})
    return entries


def evidence(prompt: JudgePrompt) -> Opinion:
    """Quote for each summary sentence the source sentence that shares most words."""
    source = [(sentence, word_set(sentence)) for sentence in sentences(prompt.text("source") or "")]
    quotes = []
    for sentence in sentences(prompt.text("summary") or ""):
        words = word_set(sentence)
        best = max(source, key=lambda item: len(words & item[1]), default=None)
        if best is not None and words & best[1]:
            quotes.append({"statement": sentence, "quote": best[0]})
    return Opinion("", {"evidence": quotes})


def claim(prompt: JudgePrompt) -> Opinion:
    """Look for a figure of a claim in the source."""
    text, source = prompt.text("claim") or "", [block.text for block in prompt.all("source")]
    figure = next((block.attributes.get("figure") for block in prompt.all("claim")), None)
    outcome, quote = "not_found", ""
    for checked in verify_claims(text, source):
        if checked.figure.text == figure and checked.verdict in ("supported", "contradicted"):
            outcome, match = checked.verdict, checked.source or ""
            quote = next((s for part in source for s in sentences(part) if match in s), match)
            break
    return Opinion(
        "By rule, figures compared.", {"outcome": outcome, "quote": " ".join(quote.split())}
    )


def no_label(prompt: JudgePrompt) -> Opinion:
    """Return no error code: the scorer's own rules know more than its prompt."""
    return Opinion("A judge by rule leaves the codes to the rules of the scorer.", "none")


def _contradicted(text: str, other: str) -> list[str]:
    """Return the figures of a text that another text contradicts."""
    claims = verify_claims(text, [other])
    return [claim.figure.text for claim in claims if claim.verdict == "contradicted"]


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

_YES_NO = re.compile(r"^\W*(?P<word>yes|no)\b", re.IGNORECASE)


def verdict(prompt: JudgePrompt) -> Opinion:
    """Compare the answer with the gold answers; agreement with one suffices."""
    question, answer = prompt.text("question") or "", prompt.text("answer") or ""
    golds = [block.text for block in prompt.all("gold")]
    if any(_same(answer, gold, question) for gold in golds):
        return _reply("it agrees with the gold answer", "CORRECT")
    if _declines(answer) and not any(map(_declines, golds)):
        return _reply("it says that it has no answer", "REFUSAL")
    return _reply("neither figures nor words are those of the gold answer", "INCORRECT")


def _same(answer: str, gold: str, question: str) -> bool:
    if _NUMBER.fullmatch(gold) and (expected := read_gold(gold, question)):
        return match_answer(answer, expected, _TOLERANCE, _AMONG).matched
    if _declines(answer) and not _declines(gold):
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
    if _declines(prompt.text("answer") or ""):
        return _reply("it says that it has no answer", "REFUSED")
    return _reply("no phrase of it declines", "ANSWERED")


def _declines(text: str) -> bool:
    """Return whether a sentence says that there is no answer."""
    return any(map(declines, sentences(text)))


def _reply(reasoning: str, outcome: str) -> Opinion:
    return Opinion(f"By rule, {reasoning}.", outcome)


RULES = (
    JudgeRule("You grade a summary by its gravest error", severity),
    JudgeRule("Write exactly five criteria", criteria),
    JudgeRule("You do not judge yet", evidence),
    JudgeRule("one final integer from", grade),
    JudgeRule("The verdict has the `outcome`", claim),
    JudgeRule("The verdict is every code that applies", no_label),
    JudgeRule("The verdict is CORRECT, INCORRECT or REFUSAL", verdict),
    JudgeRule("The verdict is REFUSED or ANSWERED", refused),
)
"""Protocols of `prompts/judge/`: severity, criteria, evidence, dimension, claim, error codes,
accuracy and abstention.
"""
