"""Check whether an answer gives the expected number as one of two, or for another year."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

from ..dates import NamedDate, dates
from ..extract import extract_amounts
from ..quantity import Quantity
from ..wording.labels import labels, names_of
from .expected import Expected, equal
from .shown_figures import without_direction_of_level
from .words import alternatives, end_with_year, year_beside

_T = TypeVar("_T")

_SAYS = re.compile(r"\b(?:was|were|is|are|had|has|have|totall?ed)\s(?:\w+\s)?\S?$|:\s\S?$")
"""Before a figure that a sentence gives to its subject."""

_OR = re.compile(
    r"(?P<noun>(?: [a-z-]+){0,2}?)[,;.]? (?:or|alternatively),?"
    r"(?: (?:about|approximately|around|by|else|even|it|was|is|may|might|could|can|be|maybe|perhaps"
    r"|possibly|rather|roughly))* ?[($€£¥]?",
    re.IGNORECASE,
)
"""Words between two figures when an answer leaves open which one is right: 5% or maybe 7%."""

_YEAR_OF_LEVEL = re.compile(r"\b(?:19|20)\d\d\b")
_NOT_ITS_YEAR = re.compile(
    r"\b(?:after|against|before|compar\w*|end(?:ed|ing)|filings?|following|from|over|reports?|since"
    r"|than|vs|versus|10-[kq]|as of|contrast|relative|unlike"
    r"|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*)\b"
)
"""Words with which the year before a figure may be of a source, a day or another figure."""


def offers_two(answer: str, expected: Expected, tolerance: float) -> bool:
    """Return whether an answer offers the expected number and another: 12% or 14%."""
    sides = [
        (extract_amounts(first), extract_amounts(second)) for first, second in alternatives(answer)
    ]
    for first, second in pairwise(extract_amounts(answer)):
        if _are_alternatives(first, second, answer):
            sides.append(([first], [second]))
    return _is_on_one_side(sides, lambda figure: equal(figure, expected, tolerance))


def offers_two_dates(answer: str, expected: Sequence[NamedDate]) -> bool:
    """Return whether an answer offers an expected date and another: May 2027 or June 2027."""
    sides = [(dates(first), dates(second)) for first, second in alternatives(answer)]
    for first, second in pairwise(dates(answer)):
        if _OR.fullmatch(answer, first.span.end, second.span.start):
            sides.append(([first], [second]))
    return _is_on_one_side(sides, lambda named_date: named_date.is_in_any(expected))


def _is_on_one_side(
    sides: Iterable[tuple[Sequence[_T], Sequence[_T]]], is_right: Callable[[_T], bool]
) -> bool:
    """Return whether only one of two sides has the right values, while both have some."""
    return any(
        first and second and any(map(is_right, first)) != any(map(is_right, second))
        for first, second in sides
    )


def _are_alternatives(first: Quantity, second: Quantity, answer: str) -> bool:
    """Return whether an answer gives two figures for the same thing: 12% or 14%, 5 or 6 stores.

    "12%, or 14% in constant currency" are figures of two things.
    """
    between = _OR.fullmatch(answer, first.span.end, second.span.start)
    if between is None or (first.unit, first.currency) != (second.unit, second.currency):
        return False
    noun = between["noun"].lower()
    if noun:
        return second.wording.after.startswith(noun)
    return second.unit == "count" or not labels(second.wording.after)


def second_value(answer: str, expected: Expected, tolerance: float) -> str | None:
    """Return another value that an answer gives for the expected quantity in another sentence.

    Both sentences mention the same subject, basis and period, in the same words.
    """
    stated_figures = [figure for figure in extract_amounts(answer) if _is_stated(figure)]
    for right in stated_figures:
        if not equal(right, expected, tolerance):
            continue
        for figure in stated_figures:
            is_other = not equal(figure, expected, tolerance) and figure.sentence != right.sentence
            is_same_kind = figure.unit == right.unit and _subject(figure) == _subject(right)
            if is_other and is_same_kind and not figure.period.conflict(right.period):
                return figure.text
    return None


def _is_stated(figure: Quantity) -> bool:
    """Return whether a sentence says what a named quantity is: revenue was $5 million."""
    is_level = not (figure.change or figure.denied or figure.moved or figure.period.prior)
    return is_level and bool(_SAYS.search(figure.wording.before)) and bool(names_of(figure))


def _subject(figure: Quantity) -> tuple[frozenset[str], str | None, str | None]:
    """Return the words about a figure, its basis and its status."""
    return names_of(figure), figure.basis, figure.status


def other_year(
    answer: str, expected: Expected, years: Sequence[int], tolerance: float
) -> int | None:
    """Return the year for which an answer gives the expected number, if each such year is wrong.

    Args:
        answer: Text.
        expected: The expected number.
        years: The right years; empty if any is.
        tolerance: Largest difference, as a share of the number.
    """
    figures = list(map(without_direction_of_level, extract_amounts(answer))) if years else []
    starts = [0, *(end_with_year(figure, answer) for figure in figures)]
    other = None
    for start, figure in zip(starts, figures, strict=False):
        if not equal(figure, expected, tolerance):
            continue
        words_before = answer[max(start, figure.sentence.start) : figure.span.start].lower()
        year = year_beside(figure, answer) or _year_before(figure, words_before)
        if year is None or year in years:
            return None
        other = year
    return other


def _year_before(figure: Quantity, words: str) -> int | None:
    """Return the year in the words before a figure if it can only be the year of the figure."""
    years = _YEAR_OF_LEVEL.findall(words)
    is_clear = len(years) == 1 and not (figure.change or _NOT_ITS_YEAR.search(words))
    return int(years[0]) if is_clear else None
