"""Read gold answers: yes or no, a date, a number, or figures among words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...text.content_words import content_stems, content_words
from ...text.sentences import Span
from ..dates import NamedDate, dates
from ..extract import extract_amounts, extract_quantities
from ..numbers.phrases import RATIO_WORD
from ..numbers.physical_units import end_of_unit
from ..quantity import Quantity
from .expected import ASKS_YEAR, Expected, expect, same_apart_from_sign
from .notation import in_digits, in_plain_notation, with_signs_of_ratios
from .thousands import has_decimal_commas, with_decimal_points
from .words import asked_years, years_between, years_of

_NO = r"no(?! (?:doubt|question|wonder|matter|later|longer|less|fewer|more|other|one)\b|\.? ?\d)"
"""The answer no."""

YES_NO = re.compile(
    rf"\b(?:(?P<both>yes\W{{0,3}}(?:and|or)?\W{{0,3}}{_NO}|no\W{{0,3}}(?:and|or)\W{{0,3}}yes)|yes"
    rf"|{_NO})\b",
    re.IGNORECASE,
)
"""Yes, no or both at the start of an answer; not the "no" of "no doubt" or "No. 5"."""

_ASIDE = re.compile(r"\([^()]*\)")
_BARE_NUMBER = re.compile(r"\s*[-–−]?\d[\d,]*(?:\.\d+)?\.?\s*")
_HOW_MANY = re.compile(
    r"\bhow many (?P<unit>[a-z]+(?: (?:points?|feet|met(?:er|re)s?|miles?|kilomet(?:er|re)s?))?)"
)
"""A question for a number, with its unit: how many basis points?"""

_ASKS_FOR_YEAR = re.compile(r"\b(?:which|what) (?:\w+ ){0,2}years?\b")
"""Words of a question for a year: a month in the answer does not matter."""


@dataclass(frozen=True, slots=True)
class Gold:
    """Content that an answer must have."""

    text: str
    word: str | None
    """`yes` or `no`."""

    figures: tuple[Expected, ...]
    required: tuple[Expected, ...]
    """Figures that an answer must give; empty if they only explain a yes or no."""

    number: bool = False
    """Whether it is one number, which must be the result of the answer."""

    years: tuple[int | None, ...] = ()
    """Year of each required figure, as gold answer or question give it."""

    result_years: Sequence[int] = ()
    """Years that it may belong to, if it is one number; empty if any."""

    dates: tuple[NamedDate, ...] = ()
    """Days, months and parts of years that an answer must give, if it is nothing else."""

    is_ratio: bool = False
    """Whether the question asks for a ratio."""

    has_decimal_commas: bool = False
    """Whether it has points between thousands or decimal commas, so answers may have them too."""

    question_stems: frozenset[str] = frozenset()
    """Stems of the words of the question."""

    @property
    def shown(self) -> str | float:
        """Its number as the reason for a match shows it, or its text."""
        return self.required[0].shown if self.number else self.text


def read_gold(gold: str, question: str, executed: float | None = None) -> Gold | None:
    """Read what a gold answer expects; None if it has no number, yes or no.

    A year is expected where the question asks for it, or where the gold answer has nothing else.

    Args:
        gold: Gold answer as its authors wrote it; may be empty.
        question: The question.
        executed: Result of the gold answer's program, if it has one.
    """
    question = in_plain_notation(question).lower()
    if not has_decimal_commas(gold, question):
        return _read_english(gold, question, executed)
    expected = _read_english(with_decimal_points(gold), question, executed)
    return expected and replace(expected, has_decimal_commas=True)


def _read_english(gold: str, question: str, executed: float | None) -> Gold | None:
    """Read a gold answer with decimal points; None if it has no number, yes or no."""
    is_ratio = RATIO_WORD.search(question) is not None
    plain = in_plain_notation(gold)
    plain = with_signs_of_ratios(plain) if is_ratio else plain
    text = _in_asked_unit(in_digits(plain), question)
    figures_and_years = extract_amounts(text, years=True)
    figures = [figure for figure in figures_and_years if figure.unit != "year"]
    word = YES_NO.match(gold.lstrip(" *_('\"“"))
    first = next(iter(figures or figures_and_years), None)
    asks_for_year = first is not None and _ASKS_FOR_YEAR.search(question)
    if executed is None and not (figures or word or asks_for_year):
        named_dates = _read_dates(plain, question)
        if named_dates:
            stems = content_stems(question)
            return Gold(text, None, (), (), dates=named_dates, question_stems=stems)
    if executed is not None or (
        first and not word and _is_number(text, figures_and_years, question)
    ):
        number = expect(first, question, executed)
        written_years = years_of(figures, text) if len(figures) == 1 else []
        return Gold(
            text,
            None,
            (number,),
            (number,),
            number=True,
            is_ratio=is_ratio,
            result_years=[year for year in written_years if year] or years_between(question),
            question_stems=content_stems(question),
        )
    if not (word or figures):
        return None
    expected = tuple(expect(figure, question) for figure in figures)
    if word:
        return Gold(text, word[0].lower(), expected, ())
    main_figures = _main_figures(text, figures) or figures
    required = tuple(expect(figure, question) for figure in main_figures)
    years = years_of([number.figure for number in required if number.figure], text)
    if not any(years):
        years = asked_years(question, len(required))
    return Gold(text, None, expected, required, years=tuple(years))


def _in_asked_unit(text: str, question: str) -> str:
    """Return a gold answer, with the unit after "how many" in the question if it is a bare number.

    Args:
        text: Gold answer in plain notation.
        question: The question in lower case.
    """
    match = _HOW_MANY.search(question)
    if match is None or not _BARE_NUMBER.fullmatch(text):
        return text
    with_unit = f"{text.strip().rstrip('.')} {match['unit']}"
    figures = extract_quantities(with_unit)
    has_unit = len(figures) == 1 and (
        figures[0].unit != "count" or figures[0].measure or figures[0].scale != "one"
    )
    return with_unit if has_unit else text


def _is_number(text: str, figures_and_years: Sequence[Quantity], question: str) -> bool:
    """Return whether a gold answer is one number or year, without a direction, and no other words.

    Args:
        text: Gold answer in plain notation.
        figures_and_years: Its figures and years.
        question: The question in lower case.
    """
    figures = [figure for figure in figures_and_years if figure.unit != "year"]
    first = next(iter(figures or figures_and_years))
    if len(figures) > 1 or first.direction:
        return False
    if not figures and ASKS_YEAR.search(question):
        return True
    units = [figure.wording.unit for figure in figures if figure.wording.unit]
    other_words = content_words(without_figures(text, figures_and_years).lower())
    descriptions = len(other_words) + len(units)
    return descriptions <= len(figures)  # one word, or the unit, may be what the number counts


def with_moves(part: Gold, answers: Sequence[str]) -> Gold:
    """Return a part of a gold answer with the directions and moves of the whole answer.

    For the part "144.5" of "It fell from 159.7 to 144.5", an answer that rose is wrong.

    Args:
        part: Result of `read_gold` for the part.
        answers: The gold answer, or alternatives of it.
    """
    figures = [
        figure for answer in answers for figure in extract_amounts(in_plain_notation(answer))
    ]
    moved = {number: _with_move(number, figures) for number in part.figures}
    required = tuple(moved[number] for number in part.required)
    return replace(part, figures=tuple(moved.values()), required=required)


def _with_move(number: Expected, figures: Sequence[Quantity]) -> Expected:
    """Return a number with direction and move of the first equal figure."""
    matching = (figure for figure in figures if same_apart_from_sign(figure, number, 0))
    whole = next(matching, None)
    if whole is None or number.figure is None:
        return number
    moved = replace(number.figure, direction=whole.direction, moved=whole.moved)
    return replace(number, figure=moved, direction=whole.direction)


def without_figures(text: str, figures: Sequence[Quantity]) -> str:
    """Return a text without figures of it and the units right after these.

    Args:
        text: The text from which the figures were read.
        figures: Figures of it from left to right.
    """
    lower = text.lower()
    ends = [end_of_unit(lower, figure.span.end) for figure in figures]
    starts = [figure.span.start for figure in figures]
    return _without(text, list(map(Span, starts, ends)))


def _read_dates(text: str, question: str) -> tuple[NamedDate, ...]:
    """Read the dates of a gold answer; empty if it says something else or a date is ambiguous.

    Args:
        text: Gold answer in plain notation.
        question: The question in lower case.
    """
    named_dates = dates(text)
    spans = [named_date.span for named_date in named_dates]
    other_words = content_words(_without(text, spans).lower())
    are_all = len(other_words) <= 1 or ASKS_YEAR.search(question)
    are_clear = len(set(spans)) == len(spans)  # not 03/04/2025
    return tuple(named_dates) if are_all and are_clear else ()


def _main_figures(text: str, figures: Sequence[Quantity]) -> list[Quantity]:
    """Return the figures of the first sentence that has one, except in parentheses."""
    asides = [match.span() for match in _ASIDE.finditer(text)]
    main = []
    for figure in figures:
        is_aside = any(start <= figure.span.start < end for start, end in asides)
        if figure.sentence == figures[0].sentence and not is_aside:
            main.append(figure)
    return main


def _without(text: str, spans: Sequence[Span]) -> str:
    """Return a text without parts of it."""
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return text
