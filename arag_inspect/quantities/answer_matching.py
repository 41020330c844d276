"""Whether an answer in words gives the expected number, yes or no."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..text.sentences import sentences
from .extract import extract_quantities
from .number_words import SPELLED, parse_spelled
from .quantity import POWERS, Quantity

Form = Literal["fraction", "percent"]

_PERCENT = re.compile(r"%|\bpercent(?:age)?s?\b|\bper cent\b")
_FALL = re.compile(
    r"\b(?:decreas|declin|drop|fall|fell|reduc|loss|lost|lower|shrink|shrank|contract(?:ed|ion)\b|write-?down)"
)
_DECLINE = re.compile(r"\b(?:decreas|declin|drop|fall|fell|reduc|shrink|shrank)")
_RISE = re.compile(r"\b(?:increas|grow|rise|rose|rising|chang|differ)")
_UNIT = re.compile(
    r"[$€£¥₹%]|\b(?:percent(?:ages?)?|per cent|dollars?|euros?|usd|eur|gbp|thousands?|millions?|billions?)\b"
)
_SCALE = re.compile(r"\bin (?:\w+ )?(thousand|million|billion)s?\b")
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
_SHORT_YEAR = re.compile(r"\b(?:FY|CY)\s?['’]?(?=\d\d\b(?![.,]?\d|%))")
_SPELLED = re.compile(rf"\b(?:{SPELLED})\b", re.IGNORECASE)
_DIGITS = 3
"""Fewest significant digits of a rounded answer."""

_ROUGHLY = 0.01
_EXECUTED = 5.1e-6
"""Executed values are rounded to five decimals."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected number."""

    value: float
    share: bool = False
    """Whether it is a percentage or a fraction."""

    form: Form | None = None
    """How `value` gives a share; None if unknown."""

    scale: str | None = None
    """Power of a thousand that multiplies `value`; None if unknown."""

    written: float | None = None
    """The gold answer as written (perhaps rounded), in the form and scale of `value`."""

    rounding: float = 0.0
    """Largest rounding error of `value`; zero for an executed value."""

    executed: bool = True
    """Whether it is the result of a program, whose rounding is unknown."""

    fall: bool = False
    """Whether the question asks for a decrease, which may be written with either sign."""

    down: bool = False
    """Whether it asks only for a decrease, so that a rise is never right."""

    year: bool = False
    """Whether it may be a year, which must match exactly."""

    currency: str | None = None
    """Code of its currency; None if unknown."""


@dataclass(frozen=True, slots=True)
class Match:
    """Result of comparing an answer with the expected one."""

    matched: bool
    reason: str
    """One line for the reader."""

    given: str | None = None
    """The figure or word that decided."""


def expect(value: float | None, gold: str, question: str) -> Expected | None:
    """Derive the expected number from a gold answer.

    Args:
        value: Executed value; None to use the gold answer.
        gold: Gold answer as its authors wrote it; may be empty.
        question: The question.

    Returns:
        The expected number, or None if neither is a number.
    """
    question = question.lower()
    gold = in_digits(plain(gold))
    figures = [f for f in extract_quantities(gold) if f.unit != "date"]
    figure = next((f for f in figures if f.unit != "year"), next(iter(figures), None))
    signed = (-figure.value if figure.negative else figure.value) if figure else None
    rounding, executed = 0.0, value is not None
    if value is None:
        if figure is None or signed is None:
            return None
        value = signed
        rounding = 0.5 * 10.0**-figure.decimals if figure.decimals else 0.0
    match = _SCALE.search(question)
    scale = next((scale for scale in POWERS if match and scale == match[1]), None)
    share = bool(_PERCENT.search(question))
    form: Form | None = None
    written = None
    if figure is not None and _is_percent(figure, value):
        share = True
        if _near(figure.amount / 100, value, 0.006):
            form, written = "fraction", figure.amount / 100
        elif _near(figure.amount, value, 0.6):
            form, written = "percent", figure.amount
    elif figure is not None and signed is not None:
        share = share and figure.unit in ("count", "multiple") and figure.scale == "one"
        if figure.scale != "one":
            scale = figure.scale if _near(figure.value, value) else "one"
        written = signed if _near(signed, value, figure.step / 2) else None
    return Expected(
        value=float(value),
        share=share,
        form=form,
        scale=scale,
        written=written,
        rounding=rounding,
        executed=executed,
        currency=figure.currency if figure else None,
        fall=bool(_FALL.search(question)),
        down=bool(_DECLINE.search(question)) and not _RISE.search(question),
        year=_may_be_year(value)
        and (figure is None or figure.unit == "year")
        and not _UNIT.search(question),
    )


def match_yes_no(answer: str, expected: str) -> Match:
    """Compare the first "yes" or "no" of an answer.

    Args:
        answer: Text.
        expected: `yes` or `no`.
    """
    answer = answer.replace("{,}", ",")
    match = _YES_NO.search(_marked(answer) or answer) or _YES_NO.search(answer)
    if match is None or match["both"]:
        words = "both yes and no" if match else "neither yes nor no"
        return Match(False, f"expected {expected}; the answer says {words}")
    word = match[0].lower()
    return Match(word == expected, f"expected {expected}; the answer says {word}", word)


def match_number(answer: str, expected: Expected, tolerance: float, among: int) -> Match:
    """Look for the expected number where an answer gives its result.

    Args:
        answer: Text.
        expected: The expected number.
        tolerance: Largest difference, as a share of the expected value.
        among: Most figures allowed where the result is given.
    """
    reason = ""
    for figures in _results(plain(answer), expected):
        texts = ", ".join(figure.text for figure in figures[: among + 1])
        error = ""
        for figure in figures if len(figures) <= among else ():
            year = expected.year and figure.text.strip("()").isdigit()
            for size, note in _readings(figure, expected):
                margin = 0.0 if year else _margin(figure, size, expected, tolerance)
                if _equal(size, expected, margin):
                    if not (error := _sign_error(figure, expected)):
                        text = f"{figure.text} is {expected.value:g}{note}"
                        return Match(True, text, figure.text)
                    break
        if len(figures) > among:
            texts = f"more than {among} figures as its result, {texts}"
        reason = reason or texts + error
    return Match(False, f"expected {expected.value:g}; the answer gives {reason or 'no figure'}")


def _is_percent(figure: Quantity, value: float) -> bool:
    """Return whether a gold answer is a percentage: by its unit, or as 100 times the value."""
    bare = figure.unit == "count" and figure.scale == "one"
    return figure.dimension in ("percent", "points") or (
        bare
        and not _near(figure.value, value, figure.step / 2)
        and _near(figure.value / 100, value, figure.step / 200)
    )


def plain(answer: str) -> str:
    """Return an answer without the notation of LaTeX and of fiscal years."""
    answer = answer.replace("{,}", ",").replace("\\%", "%").replace("\\$", "$")
    return _SHORT_YEAR.sub("20", _FISCAL.sub("", answer))


def in_digits(text: str) -> str:
    """Return a text without any digit with its numbers in words as digits."""
    if re.search(r"\d", text):
        return text
    return _SPELLED.sub(lambda match: f"{parse_spelled(match[0].lower()):g}", text)


def _near(value: float, target: float, step: float = 0.0) -> bool:
    """Return whether two numbers are equal, apart from sign and rounding."""
    return abs(abs(value) - abs(target)) <= max(step, _ROUGHLY * abs(target))


def _may_be_year(value: float) -> bool:
    return float(value).is_integer() and 1900 <= value < 2100


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
        results = [(text, amounts) for text in lines if (amounts := _amounts(text, expected))]
    if results:
        first, last = results[0][1], (concluding or [results[-1][1]])[-1]
        yield from [last] if last is first else [last, first]


def _marked(answer: str) -> str | None:
    """Return the part of an answer that is marked as its result."""
    marks = list(_MARKED.finditer(answer))
    if marks:
        text = marks[-1]["boxed"] or marks[-1]["rest"] or ""
        text = _EMPHASIS.sub("", text)
        return next(iter(sentences(text)), None)
    bold = [text for text in _BOLD.findall(answer) if any(sign.isdigit() for sign in text)]
    return bold[-1] if bold else None


def _result_figures(text: str, expected: Expected) -> list[Quantity]:
    """Return the figures of a sentence; of a calculation, those after its last "="."""
    return _amounts(_EQUALS.split(text)[-1], expected) or _amounts(text, expected)


def _amounts(text: str, expected: Expected) -> list[Quantity]:
    units = ("date",) if _may_be_year(expected.value) else ("date", "year")
    return [
        figure
        for figure in extract_quantities(in_digits(text))
        if figure.unit not in units and figure.value_high is None and not figure.denied
    ]


def _readings(figure: Quantity, expected: Expected) -> Iterator[tuple[float, str]]:
    """Yield each size that a figure may denote, with a note for the reader."""
    percent = figure.dimension in ("percent", "points")
    plain = figure.scale == "one"
    amount = abs(figure.amount)
    if plain and not percent:
        yield figure.value, ""
    if percent or (plain and expected.share):
        if expected.form != "percent":
            yield amount / 100, ", the fraction of a percentage"
        if expected.form != "fraction":
            yield (amount, "") if percent else (amount * 100, ", a fraction as percentage")
    scales: Sequence[str] = [] if plain else ["one", "thousand", "million", "billion"]
    for scale in [] if percent else [expected.scale] if expected.scale else scales:
        yield amount / 10 ** POWERS.get(scale, 0), "" if scale == "one" else f" {scale}"


def _margin(figure: Quantity, size: float, expected: Expected, tolerance: float) -> float:
    """Return how far a figure may be from the expected value, as a share of it.

    From a gold answer only as far as it is rounded, to three significant digits or more.
    """
    if expected.executed or not (size and expected.value):
        return tolerance
    return min(tolerance, 0.5 * _unit(figure, size) * (1 - 1e-9) / abs(expected.value))


def _unit(figure: Quantity, size: float) -> float:
    """Return the place value of the last digit that a figure states, in the measure of its size.

    Zeros at the end of a whole number may be rounded; with fewer than three digits it states none.
    """
    digits = f"{figure.value:.{max(figure.decimals, 0)}f}".replace(".", "").lstrip("0")
    last_digit = 10.0**-figure.decimals
    if figure.decimals <= 0:
        kept = max(len(digits.rstrip("0")), min(_DIGITS, len(digits)))
        last_digit *= 10.0 ** (len(digits) - kept)
        digits = digits[:kept]
    return last_digit * size / figure.value if len(digits) >= _DIGITS else 0.0


def _equal(size: float, expected: Expected, tolerance: float) -> bool:
    if abs(size - abs(expected.value)) <= max(tolerance * abs(expected.value), _EXECUTED):
        return True
    if abs(size - abs(expected.value)) <= expected.rounding * (1 + 1e-9):
        return True
    written = expected.written
    return written is not None and abs(size - abs(written)) <= 1e-12 * max(1.0, abs(written))


def _sign_error(figure: Quantity, expected: Expected) -> str:
    """Describe the error of the sign; return "" if the sign is right."""
    if None not in (figure.currency, expected.currency) and figure.currency != expected.currency:
        return ", in another currency"
    if not expected.value:
        return ""
    down = expected.value < 0
    says_down = figure.direction == "down"
    if expected.down and figure.direction == "up":
        return ", in the other direction"
    if figure.change and figure.direction in ("up", "down") and not figure.negative:
        right = says_down == down or (expected.fall and says_down)
        return "" if right else ", in the other direction"
    return "" if figure.negative == down or expected.fall else ", with the other sign"
