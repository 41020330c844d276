"""Tests of tables in plain text whose columns spaces align."""

from arag_inspect.corpus.documents.aligned_tables import write_bars
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

TABLE = TABLES["table"]


def test_write_bars_joins_heads_and_leaves_out_rules_and_leaders() -> None:
    assert write_bars(f"Results of the year.\n\n{TABLE}\nA sentence  after it.") == (
        "Results of the year.\n\n(Thousands of dollars)\n"
        "| Year ended June 30, 1997 | Year ended June 30, 1996\n"
        "Net sales | $48,612 | $43,405\n"
        "Earnings per share | $.85 | $1.02\n"
        "Net loss | (812) | (115)\n\nA sentence  after it."
    )


def test_write_bars_leaves_tables_with_bars_and_prose_as_they_are() -> None:
    text = "Sales   |   2023 | 2022\nPumps   |   5 | 4\n\nSales rose   in 2023.\nPumps 5 4\n"
    assert write_bars(text) == text
