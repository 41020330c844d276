"""The text of an answer in plain notation: no LaTeX, no powers of ten, words as digits."""

import re

from ..numbers.words import SPELLED, parse_spelled

_FISCAL = re.compile(r"\b(?:FY|CY|[Ff]iscal\s(?:[Yy]ear\s)?)(?=(?:19|20)\d\d\b)")
"""Words before a year in full, which say nothing more."""

_SHORT_YEAR = re.compile(r"\b(?:FY|CY)\s?['’]?(?=\d\d\b(?![,.]?\d|%))")
"""Letters before a year of two digits."""

_POWER = re.compile(
    r"(?<![\w.,])(?P<number>\d{1,3}(?:\.\d{1,9})?)"
    r"(?:\s?[×x*]\s?10(?:\^\{?|\*\*)(?P<power>\d{1,2})\}?|[eE]\+?(?P<exponent>\d{1,2}))"
    r"(?![\w.]*\d)"
)
"""A number with a power of ten: 1.2 × 10^9, 1.2e9."""

_SPELLED = re.compile(rf"\b(?:{SPELLED})\b", re.IGNORECASE)

_TO_ONE = re.compile(r"(?<!from )(?<![\w.,])(\d+(?:\.\d+)?) to (?=1(?:\.0+)?(?![\w%]|[.,]\d))")
"""Between the two sides of a ratio to one: 0.65 to 1."""


def in_plain_notation(answer: str) -> str:
    """Return an answer without the notation of LaTeX, of powers of ten and of fiscal years."""
    answer = answer.replace("{,}", ",").replace("\\%", "%").replace("\\$", "$")
    answer = _POWER.sub(_written_out, answer)
    return _SHORT_YEAR.sub("20", _FISCAL.sub("", answer))


def _written_out(match: re.Match[str]) -> str:
    """Return a number with a power of ten in digits."""
    power = int(match["power"] or match["exponent"])
    return f"{float(match['number']) * 10**power:,.0f}"


def in_digits(text: str) -> str:
    """Return a text without any digit with its numbers in words as digits."""
    if re.search(r"\d", text):
        return text
    return _SPELLED.sub(lambda match: f"{parse_spelled(match[0].lower()):g}", text)


def with_signs_of_ratios(text: str) -> str:
    """Return a text that gives a ratio with its ratios to one as 0.65:1, which is not a range."""
    return _TO_ONE.sub(r"\1:", text)
