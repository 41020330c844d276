"""Tests of writing the tables of a page with their columns, from lines as they are printed."""

import re
from collections.abc import Sequence

import pytest

from arag_inspect.corpus.documents._grid import GridCell
from arag_inspect.corpus.documents._pdf_lines import PageLine, line_of_words
from arag_inspect.corpus.documents._pdf_rules import HeadRule
from arag_inspect.corpus.documents._pdf_tables import write_tables
from tests.tables import tables_beside

CASES = tables_beside(__file__)
WIDTH = 6
"""Points of a character."""

HEIGHT = 8
LEVEL = 12
"""Points from line to line."""


def page_lines(text: str) -> list[PageLine]:
    lines = []
    for number, line in enumerate(text.strip("\n").split("\n")):
        words = [
            GridCell(match.start() * WIDTH, match.end() * WIDTH, match[0])
            for match in re.finditer(r"\S+", line)
        ]
        text = " ".join(line.split())
        lines.append(line_of_words(text, words, -LEVEL * number, HEIGHT))
    return lines


def written(text: str, rules: Sequence[HeadRule] = ()) -> list[str]:
    return list(write_tables(page_lines(text), lambda: rules))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_write_tables_keeps_columns_where_they_are_clear(case: dict[str, str]) -> None:
    assert written(case["printed"]) == case["lines"].strip("\n").split("\n")


SPANS = """
(Millions)                 Plant              Total   Goods
                     2024      2023            2024    2023
Sales                  11        12              13      14
Costs                 (1)       (2)             (3)     (4)
"""


def test_rule_decides_which_columns_are_below_head() -> None:
    rules = [HeadRule(-3, 20 * WIDTH, 36 * WIDTH)]
    assert written(SPANS, rules)[0] == (
        "(Millions) | Plant 2024 | Plant 2023 | Total 2024 | Goods 2023"
    )
