"""Find the calendar year of a part of a fiscal year that ends in the year after."""

from collections.abc import Sequence

from .column_heads import Head

_MONTHS_LEFT = {"Q1": 9, "Q2": 6, "Q3": 3, "Q4": 0, "H1": 6, "6M": 6, "9M": 3}
"""Months of the fiscal year after each of its parts."""


def calendar_year(fiscal_year: int | None, span: str | None, heads: Sequence[Head]) -> int | None:
    """Return the year in the heads of the columns that a part of a fiscal year belongs to.

    The second quarter of fiscal 2024 may end on July 29, 2023, as its last quarter then ends in
    January 2024. This holds only if no column is of the fiscal year by its number.
    """
    years = {head.year for head in heads}
    if fiscal_year is None or fiscal_year in years:
        return fiscal_year
    of_year_before = any(
        head.year == fiscal_year - 1 and head.month and _ends_next_year(head.month, span)
        for head in heads
    )
    return fiscal_year - 1 if of_year_before else fiscal_year


def _ends_next_year(month: int, span: str | None) -> bool:
    """Return whether a fiscal year ends in the next year if a part of it ends in some month."""
    return span in _MONTHS_LEFT and month + _MONTHS_LEFT[span] > 12
