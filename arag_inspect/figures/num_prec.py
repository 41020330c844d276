"""Num-Prec, the numerical precision of ECTSum."""

import re
from collections.abc import Iterable

from ..text.citations import without_marks
from ..text.layout import unwrap
from .lexicon import MONTH
from .numbers.separators import with_english_separators

_NUMERAL = re.compile(
    r"(?<![\w.])(?<!\d,)"
    r"(?<!\b[a-z]-)(?<!(?<!\d)[a-z]{2}-)"  # the hyphen of Q-4 or GS-10, not of 5m-7m
    r"(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?![\w.]*\d)(?=\W|[mbkx]\b|mm\b|bn\b|$)",
    re.IGNORECASE,
)
"""A number that is a value."""

_LABEL = re.compile(
    rf"\b{MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?![.,]\d"
    r"|\s?(?:%|percent|million|billion|basis|bps))"  # June 30
    r"|\b(?:fy ?)?(?:19|20)\d\d[-–/]\d\d\b|\b[qh][1-4][-–/]\d\d\b"  # 2021-22, Q4-20
    r"|(?<![\w$.,])20[12]\d(?!\d|[.,]\d)"  # 2021
    r"|\b\d{1,2}[-/]\d{1,2}[-/](?:\d\d){1,2}\b"  # 12/31/2021
    r"|['’]\d\d\b"
    r"|\b\d{1,2}:\d\d\b"
    r"|\bcovid\W?19\b"
    r"|\(?\b\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b|(?<![\w$])\d{3}-\d{4}\b"  # a telephone
    r"|^[ \t]*\(?\d{1,2}[.)][ \t]+(?!%)",  # the number of a list item
    re.IGNORECASE | re.MULTILINE,
)
"""Numbers that are labels: dates, years, quarters, times."""


def numerical_precision(summary: str, sources: Iterable[str]) -> float | None:
    """Share of a summary's distinct numerical values that occur in its sources.

    This is Num-Prec of ECTSum (Mukherjee et al., "ECTSum: A New Benchmark Dataset
    for Bullet Point Summarization of Long Earnings Call Transcripts", EMNLP 2022):
    the share of the values in a generated summary that also occur in the source.
    As in the authors' script (`checkValues`), each value counts once, and years,
    quarters, days of a month, times and telephone numbers are labels, not values;
    so are the numbers of list items here.
    Values are compared as numbers, without signs, scales and units. Two
    differences: the script also accepts values of the reference, which
    is not a source; and it drops "1.2b", which counts here.

    Args:
        summary: Text whose values are checked.
        sources: Texts that should contain them.

    Returns:
        The share, or None if the summary has no value.
    """
    values = _values(summary)
    source_values = set().union(*map(_values, sources))
    return len(values & source_values) / len(values) if values else None


def _values(text: str) -> set[float]:
    """Return the distinct numbers of a text that are values, not labels."""
    text = with_english_separators(unwrap(without_marks(text)))
    text = _LABEL.sub(" _ ", text).replace("-to-", " to ")
    return {float(match[0].replace(",", "")) for match in _NUMERAL.finditer(text)}
