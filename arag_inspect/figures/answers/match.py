"""Check whether an answer gives what a gold answer says: yes or no, a number, or all figures."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TypeVar

from ...text.content_words import content_stems
from ...text.sentences import sentences
from ..dates import NamedDate, dates, without_days
from ..extract import extract_amounts
from ..numbers.separators import with_english_separators
from ..quantity import Quantity
from .expected import Expected, equal, may_be_year
from .gold import YES_NO, Gold
from .notation import in_digits, in_plain_notation, with_signs_of_ratios
from .second_results import offers_two, offers_two_dates, other_year, second_value
from .shown_figures import (
    expected_with_unit,
    shown_expected,
    shown_given,
    with_unit,
    without_direction_of_level,
)
from .thousands import with_decimal_points, with_thousands_of
from .words import is_adverse, is_cell_without_heading, says_nothing, years_of

_T = TypeVar("_T")

_MARKED = re.compile(
    r"\\boxed\{(?P<boxed>[^{}]*)\}"
    r"|\b(?:final\s+)?answer\b(?:\s+is\b)?[\s:=*]*(?P<line>[^\n]+)",
    re.IGNORECASE,
)
"""The result as mathematical or other answers mark it."""

_EMPHASIS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
"""Marks of bold, italic and code."""

_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_EQUALS = re.compile(r"=|≈|\bequals\b|\bis equal to\b")
_CONCLUDING = re.compile(
    r"\b(?:therefore|thus|hence|so|in conclusion|in summary|overall|as a result|in total)\b",
    re.IGNORECASE,
)
"""Words of a sentence that gives the result."""

_SAME = 0.8
"""Share of words, without numbers, that makes two sentences the same."""

_MOST = 4
"""Maximum figures where a result is given, and beside it; repeated figures count once."""


@dataclass(frozen=True, slots=True)
class Match:
    """Result of comparing an answer with the gold answer."""

    matched: bool
    reason: str
    """One line for the reader."""

    given: str | None = None
    """The figure or word that decided, or the figures of a wrong answer."""


def match_answer(answer: str, gold: Gold, tolerance: float) -> Match:
    """Compare an answer with what a gold answer expects.

    Args:
        answer: Text.
        gold: Result of `read_gold`.
        tolerance: Largest difference, as a share of the expected value.
    """
    answer = in_plain_notation(answer)
    if gold.has_decimal_commas:
        answer = with_decimal_points(answer)
    answer = with_thousands_of(answer, gold.text)
    if gold.is_ratio:
        answer = with_signs_of_ratios(answer)
    if gold.dates:
        return _match_dates(answer, gold)
    contradiction = next(_contradictions(answer, gold.text), None)
    if gold.number:
        return _match_result(answer, gold, tolerance, contradiction)
    if gold.word:
        yes_no = match_yes_no(answer, gold.word)
        if not yes_no.matched:
            return yes_no
    return _match_figures(in_digits(answer), gold, tolerance, contradiction)


def _match_result(answer: str, gold: Gold, tolerance: float, contradiction: str | None) -> Match:
    """Look for the expected number as the result of an answer that gives no other result."""
    expected = gold.required[0]
    match = _match_number(answer, expected, tolerance, gold.question_stems)
    if not match.matched:
        return match
    if offers_two(answer, expected, tolerance):
        reason = f"{match.reason}, but it is one of two that the answer offers"
        return Match(False, reason, match.given)
    year = other_year(in_digits(answer), expected, gold.result_years, tolerance)
    if year:
        reason = f"{match.reason}, but the answer gives it for {year}"
        return Match(False, reason, match.given)
    second = second_value(answer, expected, tolerance)
    if second:
        return Match(False, f"{match.reason}, but the answer also gives {second}", second)
    if contradiction and not expected.executed:
        return Match(False, f"{match.reason}, but with {contradiction}", contradiction)
    return match


def _match_figures(answer: str, gold: Gold, tolerance: float, contradiction: str | None) -> Match:
    """Look for every figure of a gold answer in words."""
    figures = list(chain.from_iterable(_ends(figure, answer) for figure in extract_amounts(answer)))
    right: dict[Expected, list[Quantity]] = {}
    for number in gold.figures:
        right[number] = [
            figure for figure in figures if _is_given(figure, number, answer, tolerance)
        ]
    years = dict(zip(figures, years_of(figures, answer), strict=True))
    required = _of_their_years(gold, right, years)
    sentences_with_required = {figure.sentence for figure in chain.from_iterable(required)}
    equals = list(chain.from_iterable(right.values()))
    beside = [
        figure
        for figure in figures
        if figure.sentence in sentences_with_required and figure not in equals
    ]
    is_turned = any(
        not matching and _repeats(figures, number.figure) for number, matching in right.items()
    )
    required_texts = [with_unit(number.figure) for number in gold.required if number.figure]
    expected = ", ".join(required_texts) or gold.text
    if contradiction or is_turned or _count_distinct(beside) > _MOST or not all(required):
        texts = ", ".join(map(with_unit, figures[: _MOST + 1]))
        wrong = contradiction or texts or None
        return Match(False, f"expected {expected}; the answer gives {wrong or 'no figure'}", wrong)
    decided = equals[0].text if equals else gold.word
    return Match(True, f"the answer gives {expected}", decided)


def _is_given(figure: Quantity, number: Expected, answer: str, tolerance: float) -> bool:
    """Return whether a figure among several is one that a gold answer requires.

    A level may have risen or fallen unless the gold answer says which; an end of a move must be
    more than a cell of a row without headings.
    """
    gold = number.figure
    if gold is None or gold.direction is None:
        figure = without_direction_of_level(figure)
    if gold and gold.moved and is_cell_without_heading(figure, answer):
        return False
    return equal(figure, number, tolerance)


def _of_their_years(
    gold: Gold, right: dict[Expected, list[Quantity]], years: dict[Quantity, int | None]
) -> list[list[Quantity]]:
    """Return the right figures for each required number that the answer gives for no other year.

    Args:
        gold: Gold answer.
        right: Figures of the answer by the number that they give.
        years: Year that the answer gives for each of its figures.
    """
    matching = []
    for number, year in zip(gold.required, gold.years or [None] * len(gold.required), strict=True):
        figures = right[number]
        if year:
            figures = [figure for figure in figures if years[figure] in (None, year)]
        matching.append(figures)
    return matching


def _match_dates(answer: str, gold: Gold) -> Match:
    """Look for the dates of a gold answer; for a single date, where the answer gives its result."""
    passages = [dates(answer)]
    if len(gold.dates) == 1:
        passages = list(_results(answer, dates, gold.question_stems)) or passages
    for named_dates in passages:
        right = [named_date for named_date in named_dates if named_date.is_in_any(gold.dates)]
        has_all = all(any(named_date.is_in(date) for named_date in right) for date in gold.dates)
        others = {named_date.text for named_date in named_dates if named_date not in right}
        if has_all and len(others) < _MOST and not offers_two_dates(answer, gold.dates):
            text = _texts_of(right)
            return Match(True, f"{text} is {_texts_of(gold.dates)}", text)
    text = _texts_of(dates(answer)) or _first_distinct(_years(answer), _MOST)
    reason = f"expected {_texts_of(gold.dates)}; the answer gives {text or 'no date'}"
    return Match(False, reason, text or None)


def _years(answer: str) -> list[str]:
    """Return the years of an answer outside its days."""
    figures = extract_amounts(answer, years=True)
    return [figure.text for figure in figures if figure.unit == "year"]


def _texts_of(named_dates: Sequence[NamedDate]) -> str:
    """Return the first dates as written."""
    return _first_distinct([named_date.text for named_date in named_dates], _MOST + 1)


def match_yes_no(answer: str, expected: str) -> Match:
    """Compare the first "yes" or "no" of an answer.

    Args:
        answer: Text.
        expected: `yes` or `no`.
    """
    match = YES_NO.search(_marked_part(answer) or answer) or YES_NO.search(answer)
    if match is None or match["both"]:
        words = "both yes and no" if match else "neither yes nor no, and no other words are read"
        return Match(False, f"expected {expected}; the answer says {words}")
    word = match[0].lower()
    return Match(word == expected, f"expected {expected}; the answer says {word}", word)


def _match_number(
    answer: str, expected: Expected, tolerance: float, question_stems: frozenset[str]
) -> Match:
    """Look for the expected number where an answer gives its result."""
    texts = ""
    too_many = ""
    number = expected_with_unit(expected)
    if expected.year and not _years(answer):
        answer = without_days(answer)
    extract = partial(_result_figures, expected=expected)
    for figures in _results(answer, extract, question_stems):
        has_too_many = _count_distinct(figures) > _MOST
        match = None if has_too_many else _first_match(figures, expected, tolerance)
        if match:
            return match
        if texts:
            continue
        figures = list(map(without_direction_of_level, figures))
        shown_texts = [shown_given(figure, expected, tolerance) for figure in figures]
        texts = _first_distinct(shown_texts, _MOST + 1)
        too_many = f"more than {_MOST} figures, " if has_too_many else ""
        number = shown_expected(expected, figures, tolerance)
    if expected.value == 0 and not extract_amounts(answer) and says_nothing(answer):
        return Match(True, "the answer says that there is none, or no change", "none")
    wrong = texts or _all_figures(answer) or None
    reason = f"expected {number}; the answer gives {too_many}{wrong or 'no figure'}"
    return Match(False, reason, wrong)


def _all_figures(answer: str) -> str:
    """Return the first figures of an answer, comparable with the gold figure or not."""
    figures = extract_amounts(in_digits(answer))
    return _first_distinct(
        [with_unit(figure) for figure in figures if not figure.denied], _MOST + 1
    )


def _first_distinct(texts: Sequence[str], most: int) -> str:
    """Join the first distinct texts, at most `most`."""
    return ", ".join(list(dict.fromkeys(texts))[:most])


def _first_match(figures: Sequence[Quantity], expected: Expected, tolerance: float) -> Match | None:
    """Return the match of the first figure that is the expected number."""
    for figure in map(without_direction_of_level, figures):
        if equal(figure, expected, tolerance):
            reason = f"{with_unit(figure)} is {expected_with_unit(expected)}"
            return Match(True, reason, figure.text)
    return None


def _count_distinct(figures: Sequence[Quantity]) -> int:
    """Count the figures of different value or unit."""
    return len({(figure.value, figure.value_high, figure.unit) for figure in figures})


def _results(
    answer: str, extract: Callable[[str], list[_T]], question_stems: frozenset[str]
) -> Iterator[list[_T]]:
    """Yield the figures, or dates, of each passage that may give the result.

    If a part is marked as the result, it is the only one. Otherwise they are, in this order:

    - the last sentence that concludes ("Therefore"), or the last with figures;
    - the first sentence with figures;
    - if no sentence concludes, the sentence closest to the question.

    Args:
        answer: Text.
        extract: Returns the figures, or dates, of a passage.
        question_stems: Stems of the words of the question.
    """
    marked = _marked_part(answer)
    figures = [] if marked is None else extract(marked)
    if figures:
        yield figures
        return
    results = _with_figures(sentences(_EMPHASIS.sub("", answer)), extract)
    concluding = [result for result in results if _CONCLUDING.search(result[0])]
    if not results:  # "5." alone is not the number of a list item
        lines = [
            f"it is {text}" for text in sentences(answer) if re.match(r"\W*\d", in_digits(text))
        ]
        results = _with_figures(lines, extract)
    if not results:
        return
    _, first = results[0]
    _, last = (concluding or results)[-1]
    yield last
    if first is not last:
        yield first
    if not concluding:
        yield from _closest_to_question(results, question_stems)


def _closest_to_question(
    results: Sequence[tuple[str, list[_T]]], question_stems: frozenset[str]
) -> Iterator[list[_T]]:
    """Yield the figures of the sentence that has more words of the question than all others."""
    shared = [len(content_stems(text) & question_stems) for text, _ in results]
    most = max(shared)
    if shared.count(most) == 1:
        yield results[shared.index(most)][1]


def _with_figures(
    texts: Sequence[str], extract: Callable[[str], list[_T]]
) -> list[tuple[str, list[_T]]]:
    """Return the texts that have figures, or dates, with these."""
    results = [(text, extract(text)) for text in texts]
    return [(text, figures) for text, figures in results if figures]


def _marked_part(answer: str) -> str | None:
    """Return the part of an answer that is marked as its result."""
    marks = list(_MARKED.finditer(answer))
    if marks:
        text = marks[-1]["boxed"] or marks[-1]["line"] or ""
        return next(iter(sentences(_EMPHASIS.sub("", text))), None)
    bold = [text for text in _BOLD.findall(answer) if any(map(str.isdigit, text))]
    return bold[-1] if bold else None


def _result_figures(text: str, expected: Expected) -> list[Quantity]:
    """Return the figures of a sentence; for a calculation, the figures after its last "="."""
    is_range = expected.figure is not None and expected.figure.value_high is not None
    for part in (_EQUALS.split(text)[-1], text):
        digits = in_digits(part)
        figures = []
        for figure in extract_amounts(digits, years=may_be_year(expected.value)):
            if figure.denied or (figure.value_high is not None) != is_range:
                continue
            is_negative = figure.negative or is_adverse(digits, figure)
            figures.append(replace(figure, negative=is_negative))
        if figures:
            return figures
    return []


def _ends(figure: Quantity, text: str) -> list[Quantity]:
    """Return a figure, or both ends of "from 0.67 to 0.69", which may be two figures."""
    if figure.value_high is None or not text[: figure.span.start].lower().endswith("from "):
        return [figure]
    low = replace(figure, value_high=None)
    return [figure, low, replace(low, value=figure.value_high)]


def _repeats(figures: Sequence[Quantity], gold: Quantity | None) -> bool:
    """Return whether an answer has a figure of a gold answer: its value and unit, not its words."""
    return gold is not None and any(
        figure.value == gold.value and figure.unit == gold.unit for figure in figures
    )


def _contradictions(answer: str, gold: str) -> Iterator[str]:
    """Yield numbers of sentences that repeat a sentence of the gold answer with other numbers."""
    repeated = [_words_and_numbers(sentence) for sentence in sentences(answer)]
    for words, numbers in map(_words_and_numbers, sentences(gold)):
        for others, values in repeated:
            shared = len(words & others) / max(len(words | others), 1)
            if shared >= _SAME and len(values) == len(numbers) and values != numbers:
                pairs = zip(numbers, values, strict=True)
                yield next(amount for number, amount in pairs if amount != number)


def _words_and_numbers(sentence: str) -> tuple[frozenset[str], list[str]]:
    """Return the words of a sentence, and its numbers from left to right."""
    words = frozenset(re.findall(r"[^\W\d_]+", sentence.lower()))
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?", with_english_separators(sentence))
    return words, [str(float(number.replace(",", ""))) for number in numbers]
