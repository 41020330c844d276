"""Whether an answer says what a gold answer in words says: yes or no, and every figure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..text.content_words import content_words
from ..text.sentences import sentences
from .answer_matching import Expected, Match, expect, in_digits, match_number, match_yes_no, plain
from .compare import same_quantity
from .extract import extract_amounts, extract_quantities
from .quantity import POWERS, Quantity

_YES_NO = re.compile(r"\W*(yes|no)\b(?![-\s](?:one|longer|more|less|fewer)\b)", re.IGNORECASE)
_SCALE = re.compile(r"\bin (?:\w+ )?(thousand|million|billion)s?\b", re.IGNORECASE)
_ASKS_YEAR = re.compile(r"\b(?:when|(?:which|what) (?:\w+ ){0,2}years?)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_FEW = 1
"""Most content words of a gold answer that is only a number with its unit."""

_SAME = 0.8
"""Share of words, without numbers, that makes two sentences the same."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold answer in words."""

    text: str
    word: str | None
    """`yes` or `no`."""

    figures: tuple[Quantity, ...]
    required: tuple[Quantity, ...]
    """Figures that an answer must give; none if it is yes or no, which they explain."""

    number: Expected | None = None
    """Its only number, if it has no other words."""


def read_gold(gold: str, question: str) -> Gold | None:
    """Read what a gold answer expects; None if that is neither a number, yes nor no.

    A year is expected where one is asked for, or where the gold answer has nothing else.
    """
    text = in_digits(plain(gold))
    word = _YES_NO.match(gold)
    read = extract_quantities(text)
    figures = [f for f in read if f.unit not in ("date", "year")]
    few = len(content_words(_without(text, read).lower()))
    if not figures and not word:
        return _only_number(gold, question) if not few or _ASKS_YEAR.search(question) else None
    first = figures[0] if figures else None
    if first and few <= _FEW and len(figures) == 1 and not word and _is_plain(first):
        return _only_number(gold, question)
    scale = _SCALE.search(question)
    readable = tuple(
        replace(figure, scale=scale[1].lower()) if scale and _is_bare(figure) else figure
        for figure in figures
    )
    first_sentence = first.sentence if first else None
    aside = [match.span() for match in _ASIDE.finditer(text)]
    required = tuple(
        figure
        for figure in readable
        if figure.sentence == first_sentence
        and not any(start <= figure.span.start < end for start, end in aside)
    )
    return Gold(
        text, word[1].lower() if word else None, readable, () if word else required or readable
    )


def _only_number(gold: str, question: str) -> Gold | None:
    number = expect(None, gold, question)
    return None if number is None else Gold(plain(gold), None, (), (), number)


def match_gold(answer: str, gold: Gold, tolerance: float, among: int) -> Match:
    """Compare an answer with what a gold answer expects.

    Args:
        answer: Text.
        gold: Result of `read_gold`.
        tolerance: Largest difference, as a share of the expected value.
        among: Most other figures in the sentences that give the result.
    """
    if gold.number:
        match = match_number(answer, gold.number, tolerance, among)
        other = next(_contradictions(plain(answer), gold.text), None)
        return Match(False, f"{match.reason}, but with {other}", other) if other else match
    if gold.word:
        match = match_yes_no(answer, gold.word)
        if not match.matched:
            return match
    answer = in_digits(plain(answer))
    amounts = [end for figure in extract_amounts(answer) for end in _ends(figure, answer)]
    missing = [figure for figure in gold.required if not any(_equal(g, figure) for g in amounts)]
    expected = ", ".join(figure.text for figure in gold.required or gold.figures) or gold.word
    if missing:
        texts = ", ".join(figure.text for figure in amounts[: among + 1]) or "no figure"
        return Match(False, f"expected {expected}; the answer gives {texts}")
    turned = (figure.text for figure in gold.figures if _is_turned(figure, amounts))
    if other := next(_contradictions(answer, gold.text), next(turned, None)):
        return Match(False, f"expected {expected}; the answer gives {other}", other)
    extra = _count_extra(amounts, gold)
    if gold.required and extra > among:
        return Match(False, f"expected {expected}; the answer gives {extra} other figures with it")
    matched = next((g.text for g in amounts if any(_equal(g, f) for f in gold.figures)), gold.word)
    return Match(True, f"the answer gives {expected}", matched)


def _without(text: str, figures: Sequence[Quantity]) -> str:
    for figure in reversed(figures):
        text = f"{text[: figure.span.start]} {text[figure.span.end :]}"
    return text


def _is_plain(figure: Quantity) -> bool:
    return (
        figure.value_high is None
        and figure.direction is None
        and figure.unit not in ("points", "basis_points")
    )


def _ends(figure: Quantity, text: str) -> list[Quantity]:
    """Return a figure, or both ends of "from 0.67 to 0.69", which may be two figures."""
    if figure.value_high is None or not text[: figure.span.start].lower().endswith("from "):
        return [figure]
    low = replace(figure, value_high=None, decimals_high=None)
    return [figure, low, replace(low, value=figure.value_high, decimals=figure.decimals_high or 0)]


def _is_bare(figure: Quantity) -> bool:
    return figure.scale == "one" and figure.unit in ("count", "currency")


def _equal(given: Quantity, gold: Quantity) -> bool:
    """Return whether two figures are the same, the given one perhaps rounded."""
    directions = {given.direction, gold.direction}
    signed = given.negative != gold.negative and "down" not in directions
    if given.denied or directions >= {"up", "down"} or signed:
        return False
    ends = [
        replace(f, hedged=False, bound=None, change=True, metric=f.metric or "margin")
        for f in (given, gold)
    ]
    return any(
        same_quantity(reading, ends[1]) and (_digits(given) >= min(3, _digits(gold)))
        for reading in _readings(*ends)
    )


def _is_turned(gold: Quantity, given: Sequence[Quantity]) -> bool:
    """Return whether an answer gives a figure only with the other direction of its move."""
    same = [g for g in given if g.value == gold.value and g.unit == gold.unit and not g.denied]
    return bool(same) and all(
        {g.direction, gold.direction} == {"up", "down"} or {g.moved, gold.moved} == {"from", "to"}
        for g in same
    )


def _readings(given: Quantity, gold: Quantity) -> Iterator[Quantity]:
    """Yield a figure as written, and with the unit or scale of the gold one if it has none."""
    yield given
    if _is_bare(given) or _is_bare(gold):
        unit = gold.unit if given.unit == "count" or gold.unit == "count" else given.unit
        yield replace(given, unit=unit, currency=gold.currency)
        if given.scale == "one" and gold.scale in POWERS:
            yield replace(given, unit=unit, currency=gold.currency, scale=gold.scale)
    if (
        gold.unit in ("percent", "points")
        and given.unit in ("count", "multiple")
        and given.value < 1
    ):
        yield replace(given, unit=gold.unit, value=100 * given.value, decimals=given.decimals - 2)


def _digits(figure: Quantity) -> int:
    return len(f"{figure.value:.{max(figure.decimals, 0)}f}".replace(".", "").strip("0"))


def _count_extra(given: Sequence[Quantity], gold: Gold) -> int:
    """Count the figures beside those of the gold answer in the sentences that give these."""
    right = {g.sentence for g in given if any(_equal(g, figure) for figure in gold.required)}
    return sum(
        g.sentence in right and not any(_equal(g, figure) for figure in gold.figures) for g in given
    )


def _contradictions(answer: str, gold: str) -> Iterator[str]:
    """Yield numbers of sentences that repeat one of the gold answer with other numbers."""
    repeated = [(_words(sentence), sentence) for sentence in sentences(answer)]
    for sentence in sentences(gold):
        words = _words(sentence)
        numbers = _numbers(sentence)
        for others, other in repeated:
            shared = len(words & others) / max(len(words | others), 1)
            amounts = _numbers(other)
            if shared >= _SAME and len(amounts) == len(numbers) and amounts != numbers:
                yield next(b for a, b in zip(numbers, amounts, strict=True) if a != b)


def _words(sentence: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", sentence.lower()))


def _numbers(sentence: str) -> list[str]:
    return [str(float(number.replace(",", ""))) for number in _NUMBER.findall(sentence)]
