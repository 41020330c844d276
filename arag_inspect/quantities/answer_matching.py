"""Whether an answer in words gives the expected number, yes or no."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..text.sentences import split_sentences
from .expected_answer import Expected, power
from .extract import extract_quantities
from .quantity import Quantity

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
_EXECUTED = 5.1e-6
"""Executed values are rounded to five decimals."""


@dataclass(frozen=True, slots=True)
class Match:
    """Result of comparing an answer with the expected one."""

    matched: bool
    reason: str
    """One line for the reader."""

    given: str | None = None
    """The figure or word that decided."""


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


def match_number(answer: str, expected: Expected, tolerance: float, among: int) -> Match:
    """Look for the expected number where an answer gives its result.

    Args:
        answer: Text.
        expected: The expected number.
        tolerance: Largest difference, as a share of the expected value.
        among: Most figures allowed where the result is given.
    """
    reason = ""
    for figures in _results(answer, expected):
        match = _match(figures, expected, tolerance, among)
        if match.matched:
            return match
        reason = reason or match.reason
    return Match(False, f"expected {expected.value:g}; the answer gives {reason or 'no figure'}")


def _match(figures: Sequence[Quantity], expected: Expected, tolerance: float, among: int) -> Match:
    """Look for the expected number among the figures of a passage, or report them."""
    texts = ", ".join(figure.text for figure in figures[: among + 1])
    if len(figures) > among:
        return Match(False, f"more than {among} figures as its result, {texts}")
    sign_error = ""
    for figure in figures:
        margin = 0.0 if expected.year and figure.text.strip("()").isdigit() else tolerance
        readings = _readings(figure, expected)
        note = next((note for size, note in readings if _equal(size, expected, margin)), None)
        if note is None:
            continue
        sign_error = _sign_error(figure, expected)
        if not sign_error:
            return Match(True, f"{figure.text} is {expected.value:g}{note}", figure.text)
    return Match(False, f"{texts}{sign_error}")


def _results(answer: str, expected: Expected) -> Iterator[list[Quantity]]:
    """Yield the figures of each passage that gives the result."""
    result_text = _marked(answer)
    if result_text is not None and (figures := _result_figures(result_text, expected)):
        yield figures
        return
    plain_text = _EMPHASIS.sub("", answer)
    results: list[tuple[str, list[Quantity]]] = []
    for start, end in split_sentences(plain_text):
        if figures := _result_figures(plain_text[start:end], expected):
            results.append((plain_text[start:end], figures))
    concluding = [figures for text, figures in results if _CONCLUDING.search(text)]
    if results:
        last = concluding[-1] if concluding else results[-1][1]
        yield from ([last] if last is results[0][1] else [last, results[0][1]])


def _result_figures(text: str, expected: Expected) -> list[Quantity]:
    """Return the figures of a sentence; of a calculation, those after its last "="."""
    return _amounts(_EQUALS.split(text)[-1], expected) or _amounts(text, expected)


def _marked(answer: str) -> str | None:
    """Return the part of an answer that is marked as its result."""
    marks = list(_MARKED.finditer(answer))
    if marks:
        text = marks[-1]["boxed"] or marks[-1]["rest"] or ""
        text = _EMPHASIS.sub("", text.replace("\\%", "%").replace("\\$", "$"))
        spans = split_sentences(text)
        return text[spans[0].start : spans[0].end] if spans else None
    bold = [text for text in _BOLD.findall(answer) if any(sign.isdigit() for sign in text)]
    return bold[-1] if bold else None


def _amounts(text: str, expected: Expected) -> list[Quantity]:
    year = expected.value.is_integer() and 1900 <= expected.value < 2100
    units = ("date",) if year else ("date", "year")
    return [
        figure
        for figure in extract_quantities(text)
        if figure.unit not in units and figure.value_high is None and not figure.denied
    ]


def _readings(figure: Quantity, expected: Expected) -> Iterator[tuple[float, str]]:
    """Yield each size that a figure may denote, with a note for the reader."""
    if figure.dimension in ("percent", "points"):
        size = abs(figure.amount)
        if expected.form != "percent":
            yield size / 100, ", the fraction of a percentage"
        if expected.form != "fraction":
            yield size, ""
        return
    yield from _plain_readings(figure, expected)


def _plain_readings(figure: Quantity, expected: Expected) -> Iterator[tuple[float, str]]:
    size, amount = figure.value, abs(figure.amount)
    if figure.scale == "one":
        yield size, ""
        if expected.share and expected.form != "percent":
            yield size / 100, ", the fraction of a percentage"
        if expected.share and expected.form != "fraction":
            yield size * 100, ", a fraction as percentage"
        if expected.scale:
            yield amount / power(expected.scale), f" {expected.scale}, written out"
    elif expected.scale:
        yield amount / power(expected.scale), f" {expected.scale}"
    else:
        for scale in ("one", "thousand", "million", "billion"):
            yield amount / power(scale), "" if scale == "one" else f" if that is in {scale}s"


def _equal(size: float, expected: Expected, tolerance: float) -> bool:
    if abs(size - abs(expected.value)) <= max(tolerance * abs(expected.value), _EXECUTED):
        return True
    if abs(size - abs(expected.value)) <= expected.rounding * (1 + 1e-9):
        return True
    written = expected.written
    return written is not None and abs(size - abs(written)) <= 1e-9 * max(1.0, abs(written))


def _sign_error(figure: Quantity, expected: Expected) -> str:
    """Describe the error of the sign; return "" if the sign is right."""
    if not expected.value:
        return ""
    if expected.down and figure.direction == "up":
        return ", in the other direction"
    down = expected.value < 0
    if figure.change and figure.direction in ("up", "down") and not figure.negative:
        agrees = (figure.direction == "down") == down
        return (
            ""
            if agrees or (expected.fall and figure.direction == "down")
            else ", in the other direction"
        )
    return "" if figure.negative == down or expected.fall else ", with the other sign"
