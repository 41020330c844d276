"""Whether an answer gives what a gold answer says: yes or no, a number, or every figure of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from ..text.content_words import content_words
from ..text.sentences import sentences
from .answer_words import alternatives, asked_years, dates, is_adverse, says_nothing, years_of
from .clauses import labels
from .expected import ASKS_YEAR, Expected, equal, expect, may_be_year
from .extract import extract_quantities
from .number_words import SPELLED, parse_spelled
from .quantity import Quantity
from .separators import with_english_separators

_MARKED = re.compile(
    r"\\boxed\{(?P<boxed>[^{}]*)\}"
    r"|\b(?:final\s+)?answer\b(?:\s+is\b)?[\s:=*]*(?P<rest>[^\n]+)",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_EQUALS = re.compile(r"=|≈|\bequals\b|\bis equal to\b")
_CONCLUDING = re.compile(
    r"\b(?:therefore|thus|hence|so|in conclusion|in summary|overall|as a result|in total)\b",
    re.IGNORECASE,
)
_NO = r"no(?! (?:doubt|question|wonder|matter|later|longer|less|fewer|more|other|one)\b|\.? ?\d)"
_YES_NO = re.compile(
    rf"\b(?:(?P<both>yes\W{{0,3}}(?:and|or)?\W{{0,3}}{_NO}|no\W{{0,3}}(?:and|or)\W{{0,3}}yes)"
    rf"|yes|{_NO})\b",
    re.IGNORECASE,
)
_FISCAL = re.compile(r"\b(?:FY|CY|[Ff]iscal\s(?:[Yy]ear\s)?)(?=(?:19|20)\d\d\b)")
_SHORT_YEAR = re.compile(r"\b(?:FY|CY)\s?['’]?(?=\d\d\b(?![,.]?\d|%))")
_POWER = re.compile(
    r"(?<![\w.,])(?P<number>\d{1,3}(?:\.\d{1,9})?)"
    r"(?:\s?[×x*]\s?10(?:\^\{?|\*\*)(?P<power>\d{1,2})\}?|[eE]\+?(?P<exponent>\d{1,2}))(?![\w.]*\d)"
)
_SPELLED = re.compile(rf"\b(?:{SPELLED})\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_MOST_DATE_WORDS = 2
"""Words of a gold answer that is a day: the month, and one more."""

_SAYS = re.compile(r"\b(?:was|were|is|are|had|has|totall?ed)\s(?:\w+\s)?\S?$|:\s\S?$")
"""Before a figure that a sentence gives to its subject."""

_SAME = 0.8
"""Share of words, without numbers, that makes two sentences the same."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What an answer must say."""

    text: str
    word: str | None
    """`yes` or `no`."""

    figures: tuple[Expected, ...]
    required: tuple[Expected, ...]
    """Figures that an answer must give; none if it is yes or no, which they explain."""

    number: bool = False
    """Whether it is one number, which must be the result of the answer."""

    years: tuple[int | None, ...] = ()
    """Year of each required figure, as gold answer or question give it."""

    day: date | None = None
    """The day that it is, if it is nothing else."""

    @property
    def shown(self) -> str | float:
        """Its number, or its text."""
        return self.required[0].value if self.number else self.text


@dataclass(frozen=True, slots=True)
class Match:
    """Result of comparing an answer with the expected one."""

    matched: bool
    reason: str
    """One line for the reader."""

    given: str | None = None
    """The figure or word that decided."""


def read_gold(gold: str, question: str, executed: float | None = None) -> Gold | None:
    """Read what a gold answer expects; None if that is neither a number, yes nor no.

    A year is expected where one is asked for, or where the gold answer has nothing else.

    Args:
        gold: Gold answer as its authors wrote it; may be empty.
        question: The question.
        executed: Result of the gold answer's program, if it has one.
    """
    text = _in_digits(_plain(gold))
    question = question.lower()
    read = [figure for figure in extract_quantities(text) if figure.unit != "date"]
    figures = [figure for figure in read if figure.unit != "year"]
    word = _YES_NO.match(gold.lstrip(" *_('\"“"))
    first = next(iter(figures or read), None)
    words = len(content_words(_without(text, read).lower())) - len(figures)
    asks_year = not figures and ASKS_YEAR.search(question)
    alone = len(figures) < 2 and (words <= 0 or asks_year) and not (first and first.direction)
    if executed is not None or (first and alone and not word):
        number = expect(first, question, executed)
        return Gold(text, None, (number,), (number,), number=True)
    if not (word or figures):
        days = dates(gold)
        only_day = len(days) == 1 and len(content_words(gold.lower())) <= _MOST_DATE_WORDS
        return Gold(text, None, (), (), day=min(days)) if only_day else None
    expected = tuple(expect(figure, question) for figure in figures)
    aside = [match.span() for match in _ASIDE.finditer(text)]
    required = tuple(
        number
        for number, figure in zip(expected, figures, strict=True)
        if figure.sentence == figures[0].sentence
        and not any(start <= figure.span.start < end for start, end in aside)
    )
    if word:
        return Gold(text, word[0].lower(), expected, ())
    required = required or expected
    years = years_of([number.figure for number in required if number.figure], text)
    if not any(years):
        years = asked_years(question, len(required))
    return Gold(text, None, expected, required, years=tuple(years))


def match_answer(answer: str, gold: Gold, tolerance: float, among: int) -> Match:
    """Compare an answer with what a gold answer expects.

    Args:
        answer: Text.
        gold: Result of `read_gold`.
        tolerance: Largest difference, as a share of the expected value.
        among: Most figures allowed where the result is given, and most others beside it.
    """
    answer = _plain(answer)
    if gold.day:
        return _match_day(answer, gold.day)
    other = next(_contradictions(answer, gold.text), None)
    if gold.number:
        match = _match_number(answer, gold.required[0], tolerance, among)
        if match.matched and _offers_two(answer, gold.required[0], tolerance):
            return Match(False, f"{match.reason}, but it is one of two that the answer offers")
        second = _second_value(answer, gold.required[0], tolerance) if match.matched else None
        if second:
            return Match(False, f"{match.reason}, but the answer also gives {second}", second)
        if match.matched and other and not gold.required[0].executed:
            return Match(False, f"{match.reason}, but with {other}", other)
        return match
    if gold.word and not (yes_no := match_yes_no(answer, gold.word)).matched:
        return yes_no
    return _match_figures(_in_digits(answer), gold, tolerance, among, other)


def _match_figures(
    answer: str, gold: Gold, tolerance: float, among: int, contradiction: str | None
) -> Match:
    """Look for every figure of a gold answer in words."""
    figures = [end for figure in _amounts(answer) for end in _ends(figure, answer)]
    right = {number: [f for f in figures if equal(f, number, tolerance)] for number in gold.figures}
    stated_years = dict(zip(figures, years_of(figures, answer), strict=True))
    years = gold.years or (None,) * len(gold.required)
    required = [
        [figure for figure in right[number] if stated_years[figure] in (None, year) or not year]
        for number, year in zip(gold.required, years, strict=True)
    ]
    located = {figure.sentence for matching in required for figure in matching}
    equals = [figure for matching in right.values() for figure in matching]
    beside = [f for f in figures if f.sentence in located and f not in equals]
    turned = any(
        not matching and any(_is_like(figure, number.figure) for figure in figures)
        for number, matching in right.items()
    )
    expected = (
        ", ".join(number.figure.text for number in gold.required if number.figure) or gold.text
    )
    if contradiction or turned or len(beside) > among or not all(required):
        texts = ", ".join(figure.text for figure in figures[: among + 1]) or "no figure"
        reason = f"expected {expected}; the answer gives {contradiction or texts}"
        return Match(False, reason, contradiction)
    decided = equals[0].text if equals else gold.word
    return Match(True, f"the answer gives {expected}", decided)


def _match_day(answer: str, day: date) -> Match:
    days = dates(answer)
    text = ", ".join(map(str, sorted(days))) or "no date"
    return Match(days == {day}, f"expected {day}; the answer gives {text}", text)


def _offers_two(answer: str, expected: Expected, tolerance: float) -> bool:
    """Return whether an answer offers the expected number and another: either 12% or 14%."""
    for sides in alternatives(answer):
        right = [
            any(equal(figure, expected, tolerance) for figure in _amounts(side)) for side in sides
        ]
        if any(right) and not all(right) and all(map(_amounts, sides)):
            return True
    return False


def _second_value(answer: str, expected: Expected, tolerance: float) -> str | None:
    """Return another value that an answer gives for the expected quantity in another sentence.

    Both sentences name the same subject, basis and period, in the same words.
    """
    stated = [figure for figure in _amounts(answer) if _is_stated(figure)]
    for right in stated:
        if not equal(right, expected, tolerance):
            continue
        for figure in stated:
            is_other = not equal(figure, expected, tolerance) and figure.sentence != right.sentence
            is_same_kind = figure.unit == right.unit and _subject(figure) == _subject(right)
            if is_other and is_same_kind and not figure.period.conflict(right.period):
                return figure.text
    return None


def _is_stated(figure: Quantity) -> bool:
    """Return whether a sentence says what a named quantity is: revenue was $5 million."""
    is_level = not (figure.change or figure.denied or figure.moved or figure.period.prior)
    return is_level and bool(_SAYS.search(figure.before)) and bool(_subject(figure)[0])


def _subject(figure: Quantity) -> tuple[frozenset[str], str | None, str | None]:
    return labels(f"{figure.shared} {figure.alone}"), figure.basis, figure.status


def match_yes_no(answer: str, expected: str) -> Match:
    """Compare the first "yes" or "no" of an answer.

    Args:
        answer: Text.
        expected: `yes` or `no`.
    """
    match = _YES_NO.search(_marked(answer) or answer) or _YES_NO.search(answer)
    if match is None or match["both"]:
        words = "both yes and no" if match else "neither yes nor no"
        return Match(False, f"expected {expected}; the answer says {words}")
    word = match[0].lower()
    return Match(word == expected, f"expected {expected}; the answer says {word}", word)


def _match_number(answer: str, expected: Expected, tolerance: float, among: int) -> Match:
    """Look for the expected number where an answer gives its result."""
    reason = ""
    for figures in _results(answer, expected):
        for figure in figures if len(figures) <= among else ():
            if not figure.change or figure.negative:  # a level: it fell to $5 million
                figure = replace(figure, direction=None)
            if equal(figure, expected, tolerance):
                return Match(True, f"{figure.text} is {expected.value:g}", figure.text)
        more = f"more than {among} figures, " if len(figures) > among else ""
        reason = reason or more + ", ".join(figure.text for figure in figures[: among + 1])
    if expected.value == 0 and not _amounts(answer) and says_nothing(answer):
        return Match(True, "the answer says that there is none, or no change", "none")
    return Match(False, f"expected {expected.value:g}; the answer gives {reason or 'no figure'}")


def _plain(answer: str) -> str:
    """Return an answer without the notation of LaTeX, of powers of ten and of fiscal years."""
    answer = answer.replace("{,}", ",").replace("\\%", "%").replace("\\$", "$")
    answer = _POWER.sub(_written_out, answer)
    return _SHORT_YEAR.sub("20", _FISCAL.sub("", answer))


def _written_out(match: re.Match[str]) -> str:
    return f"{float(match['number']) * 10 ** int(match['power'] or match['exponent']):,.0f}"


def _in_digits(text: str) -> str:
    """Return a text without any digit with its numbers in words as digits."""
    if re.search(r"\d", text):
        return text
    return _SPELLED.sub(lambda match: f"{parse_spelled(match[0].lower()):g}", text)


def _without(text: str, figures: Sequence[Quantity]) -> str:
    for figure in reversed(figures):
        text = f"{text[: figure.span.start]} {text[figure.span.end :]}"
    return text


def _results(answer: str, expected: Expected) -> Iterator[list[Quantity]]:
    """Yield the figures of each passage that gives the result."""
    marked = _marked(answer)
    if marked is not None and (figures := _result_figures(marked, expected)):
        yield figures
        return
    results = [
        (text, figures)
        for text in sentences(_EMPHASIS.sub("", answer))
        if (figures := _result_figures(text, expected))
    ]
    concluding = [figures for text, figures in results if _CONCLUDING.search(text)]
    if not results:  # "5." alone is not the number of a list item
        lines = (f"it is {text}" for text in sentences(answer) if re.match(r"\W*\d", text))
        results = [
            (text, figures) for text in lines if (figures := _result_figures(text, expected))
        ]
    if results:
        first, last = results[0][1], (concluding or [results[-1][1]])[-1]
        yield from [last] if last is first else [last, first]


def _marked(answer: str) -> str | None:
    """Return the part of an answer that is marked as its result."""
    marks = list(_MARKED.finditer(answer))
    if marks:
        text = marks[-1]["boxed"] or marks[-1]["rest"] or ""
        return next(iter(sentences(_EMPHASIS.sub("", text))), None)
    bold = [text for text in _BOLD.findall(answer) if any(sign.isdigit() for sign in text)]
    return bold[-1] if bold else None


def _result_figures(text: str, expected: Expected) -> list[Quantity]:
    """Return the figures of a sentence; of a calculation, those after its last "="."""
    ranged = expected.figure is not None and expected.figure.value_high is not None
    for part in (_EQUALS.split(text)[-1], text):
        digits = _in_digits(part)
        figures = [
            replace(figure, negative=True) if is_adverse(digits, figure) else figure
            for figure in _amounts(digits, years=may_be_year(expected.value))
        ]
        if matching := [
            f for f in figures if (f.value_high is not None) == ranged and not f.denied
        ]:
            return matching
    return []


def _amounts(text: str, years: bool = False) -> list[Quantity]:
    units = ("date",) if years else ("date", "year")
    return [figure for figure in extract_quantities(text) if figure.unit not in units]


def _ends(figure: Quantity, text: str) -> list[Quantity]:
    """Return a figure, or both ends of "from 0.67 to 0.69", which may be two figures."""
    if figure.value_high is None or not text[: figure.span.start].lower().endswith("from "):
        return [figure]
    low = replace(figure, value_high=None)
    return [figure, low, replace(low, value=figure.value_high)]


def _is_like(given: Quantity, gold: Quantity | None) -> bool:
    """Return whether a figure is written as one of the gold answer: its value and unit, not its words."""
    return gold is not None and given.value == gold.value and given.unit == gold.unit


def _contradictions(answer: str, gold: str) -> Iterator[str]:
    """Yield numbers of sentences that repeat one of the gold answer with other numbers."""
    repeated = [_words_and_numbers(sentence) for sentence in sentences(answer)]
    for words, numbers in map(_words_and_numbers, sentences(gold)):
        for others, amounts in repeated:
            shared = len(words & others) / max(len(words | others), 1)
            if shared >= _SAME and len(amounts) == len(numbers) and amounts != numbers:
                yield next(b for a, b in zip(numbers, amounts, strict=True) if a != b)


def _words_and_numbers(sentence: str) -> tuple[frozenset[str], list[str]]:
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?", with_english_separators(sentence))
    return frozenset(re.findall(r"[^\W\d_]+", sentence.lower())), [
        str(float(number.replace(",", ""))) for number in numbers
    ]
