"""Numerical precision, as ECTSum measures it."""

import re
from collections.abc import Iterable

_NUMERAL = re.compile(r"(?<![\w.-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\d)(?=\W|[mbkx]\b|mm\b|bn\b|$)")


def numerical_precision(summary: str, sources: Iterable[str]) -> float | None:
    """Share of a summary's numerical values that occur in its sources.

    This is Num-Prec of ECTSum (Mukherjee et al., "ECTSum: A New Benchmark Dataset
    for Bullet Point Summarization of Long Earnings Call Transcripts", EMNLP 2022):
    the fraction of the numerals, amounts and percentages of the generated summary
    that also occur in the source. Every occurrence in the summary counts; values
    are compared as written, without thousands separators and trailing zeros after
    the point; signs, scales and units play no part.

    Args:
        summary: Text whose values are looked up.
        sources: Texts in which they are looked up.

    Returns:
        The share, or None where the summary holds no value.
    """
    values = _values(summary)
    known = {value for source in sources for value in _values(source)}
    return sum(value in known for value in values) / len(values) if values else None


def _values(text: str) -> list[float]:
    return [float(match[0].replace(",", "")) for match in _NUMERAL.finditer(text)]
