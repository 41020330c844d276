"""Tests of rows of printed tables whose columns are years."""

import pytest

from arag_inspect.figures.printed_tables import read_rows

LATER = """Summary of Results
(Millions) 2023 2022
Net sales $ 14,694 $ 14,544
Cost of sales (11,969) (11,724)
Operating income 1,508 1,239
Net income 728 735
Interest expense (290) (159)
Comparable sales % change 3.0 % 5.0 %
Flexibles Segment
Net sales $ 11,154 100.0 % $ 11,251 100.0 %
Operating margin 10.3 % 11.5 %
A paragraph that ends the table, with enough words to be no label whatsoever in any table at all.
Net sales 1 2"""


def test_read_rows_assigns_years_and_section_titles() -> None:
    rows = list(read_rows(LATER))
    assert [(row.label, row.figures) for row in rows[:2]] == [
        ("Net sales", {2023: "$ 14,694", 2022: "$ 14,544"}),
        ("Cost of sales", {2023: "(11,969)", 2022: "(11,724)"}),
    ]
    segment = rows[6]
    assert segment.figures == {2023: "$ 11,154", 2022: "$ 11,251"}
    assert "Flexibles Segment" in segment.context
    assert len(rows) == 8  # the row below the paragraph has no years


def test_read_rows_reads_years_on_separate_lines_and_in_dates() -> None:
    text = "January 28,\n2023\nJanuary 29,\n2022\nRevenue $ 46,298 $ 51,761\nYears ended June 30, 2023 2022\nCash 5 6"
    assert [row.figures for row in read_rows(text)] == [
        {2023: "$ 46,298", 2022: "$ 51,761"},
        {2023: "5", 2022: "6"},
    ]


@pytest.mark.parametrize(
    ("head", "line", "expected"),
    [
        (
            "2022 2021 $ Change % Change",
            "Net sales $ 1,204 $ 1,100 $ 104 9.5%",
            ("$ 1,204", "$ 1,100"),
        ),
        ("2022 2021 2022 vs. 2021", "Net sales 120 100 20%", ("120", "100")),
        ("2022 2021", "Net sales 120 100 20%", ("120", "100")),
        ("2022 2021 Increase (Decrease)", "Net loss (5) (3) (2)", ("(5)", "(3)")),
        ("2022 2021 Change", "Net sales (1) 120 100 20", ("120", "100")),
        ("2022 Change 2021", "Net sales 120 20 100", None),
        ("2020 2019\n2022 Change 2021", "Net sales 120 20", None),
        ("2022 compared with 2021", "Net sales 120 100", None),
        ("2022 2021", "Net sales (1) 120 100", ("120", "100")),
        ("2022 2021", "Net sales(1) $ 120 $ 100", ("$ 120", "$ 100")),
        ("2022 2021", "Net sales (a) 120 100", ("120", "100")),
        ("2022 2021", "Other (1) (2)", ("(1)", "(2)")),
        ("2022 2021", "Other — 2", ("—", "2")),
        (
            "2022 2021",
            "Receivables, net of allowance of $650 and $633 48,688 44,261",
            ("48,688", "44,261"),
        ),
        ("2022 2021", "Receivables (net of allowance of $650 and $633) 48 44", ("48", "44")),
        ("2022 2021", "Expense incurred in the fourth quarter of 2020 12 15", ("12", "15")),
        ("2022 2021", "Fiscal 2029 24", None),
        ("2022 2021", "Europe 1,577 — 1,577", None),
        ("2022 2021", "Europe (1) 4,062 — 4,062", None),
        ("2022 2021", "Fair value $ — $ 40 $ — $ 40", None),
        ("2022 2021", "Debt 11,249 2.67 % 9,681 2.45 %", ("11,249", "9,681")),
    ],
)
def test_read_rows_ignores_change_columns_marks_and_label_numbers(
    head: str, line: str, expected: tuple[str, str] | None
) -> None:
    rows = list(read_rows(f"{head}\n{line}"))
    assert [tuple(row.figures.values()) for row in rows] == ([expected] if expected else [])


def test_read_rows_ignores_bare_percentages_below_row_with_percent_signs() -> None:
    text = "2022 2021\nNet sales 120 100.0 % 100 100.0 %\nResearch (96) (0.7) (100) (0.8)"
    assert [row.figures for row in read_rows(text)][1] == {2022: "(96)", 2021: "(100)"}


def test_read_rows_ignores_long_numbers_in_prose() -> None:
    rows = read_rows(f"2023 2022\naccount {'1234567890' * 6} of the trust\nRevenue 46 51")
    assert [row.label for row in rows] == ["Revenue"]
