"""Rows of printed tables, and directions of change checked against them."""

import pytest

from arag_inspect.quantities.printed_rows import read_rows
from arag_inspect.quantities.table_figures import LineItem, items_of, line_item
from arag_inspect.quantities.trends import check_directions

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


def items() -> list[LineItem]:
    rows = list(read_rows(LATER))
    return items_of(rows, [], 2023, 2022)


def test_rows_are_read_with_their_years_and_titles() -> None:
    rows = list(read_rows(LATER))
    assert [(row.label, row.values, row.percent) for row in rows[:2]] == [
        ("Net sales", {2023: 14694.0, 2022: 14544.0}, False),
        ("Cost of sales", {2023: -11969.0, 2022: -11724.0}, False),
    ]
    segment = rows[6]
    assert (
        segment.values == {2023: 11154.0, 2022: 11251.0} and "Flexibles Segment" in segment.context
    )
    assert len(rows) == 8  # the row below the paragraph has no years


def test_years_on_lines_of_their_own_and_dates() -> None:
    text = "January 28,\n2023\nJanuary 29,\n2022\nRevenue $ 46,298 $ 51,761\nYears ended June 30, 2023 2022\nCash 5 6"
    assert [row.values for row in read_rows(text)] == [
        {2023: 46298.0, 2022: 51761.0},
        {2023: 5.0, 2022: 6.0},
    ]


def test_fiscal_year_that_ends_in_the_next_calendar_year_and_a_value_from_the_older_filing() -> (
    None
):
    later = list(read_rows("2023 2022\nRevenue 46 51\nStores 3 4"))
    assert [(i.later, i.earlier) for i in items_of(later, [], 2022, 2021)] == [(46, 51), (3, 4)]
    only_new = list(read_rows("2022 2020\nStores 9 7"))
    older = list(read_rows("2021 2020\nStores 8 7"))
    assert [(i.earlier, i.later) for i in items_of(only_new, older, 2022, 2021)] == [(8, 9)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Net sales grew 1% to $14,694 million.", ["supported"]),
        ("Net sales declined.", ["contradicted"]),
        ("Operating income rose 22%, while interest expense fell.", ["supported", "contradicted"]),
        ("Interest expense increased to $290 million.", ["supported"]),
        ("Net income was flat.", ["supported"]),
        ("Flexibles net sales fell.", ["supported"]),
        ("Rigid Packaging net sales fell.", ["unsettled"]),
        ("Higher operating income helped.", ["supported"]),
        ("Comparable sales increased 3%.", ["supported"]),
        ("Flexibles operating margin declined.", ["supported"]),
        ("Acme's net sales increased.", ["supported"]),
        ("Net sales fell from 2021 to 2022.", ["unsettled"]),
        ("The company expects net sales to fall next year.", []),
        ("Net sales were $14,694 million.", []),
        ("Interest expense grew with higher revenue per user.", ["supported"]),
        ("Operating income of the Flexibles segment rose.", ["unsettled"]),
    ],
)
def test_verdicts(text: str, expected: list[str]) -> None:
    results = check_directions(text, items(), "Acme plc", 2022)
    assert [result.verdict for result in results] == expected
    assert all((result.item is None) == (result.verdict == "unsettled") for result in results)


@pytest.mark.parametrize(
    "text",
    [
        "Net sales did not rise.",
        "Net sales did not fall.",
        "Net sales didn't decline.",
        "Net sales never fell.",
        "There was no decline in net sales.",
        "Net sales failed to grow.",
        "Neither net income nor net sales fell.",
        "The decrease in net sales was not seen.",
        "It is not true that net sales fell.",
    ],
)
def test_denied_direction_is_unsettled(text: str) -> None:
    (result,) = check_directions(text, items(), "Acme plc", 2022)
    assert (result.verdict, result.claim.denied) == ("unsettled", True)


@pytest.mark.parametrize(
    "text",
    [
        "If net sales decline, operating income falls.",
        "Net sales could decline.",
        "There is a risk that net sales decline.",
        "Net sales would have declined without the acquisition.",
        "Net sales may fall.",
    ],
)
def test_what_is_only_possible_is_no_claim(text: str) -> None:
    assert check_directions(text, items(), "Acme plc", 2022) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cost of sales fell.", ["unsettled"]),
        ("Sales tax decreased.", ["unsettled"]),
        ("Sales and marketing expense decreased.", ["unsettled"]),
        ("Revenue growth decreased.", ["unsettled"]),
        ("Net sales rose as costs fell.", ["supported", "unsettled"]),
        ("Net sales declined in Europe.", ["unsettled"]),
        ("Net sales declined by 3% in Europe.", ["unsettled"]),
        ("Net sales fell in Q4.", ["unsettled"]),
        ("Net sales decreased in the fourth quarter of 2023.", ["unsettled"]),
        ("Net sales rose to 120 in fiscal 2023.", ["supported"]),
        ("Net sales rose in 2023, as reported.", ["supported"]),
        ("Net sales not only rose but doubled.", ["supported"]),
        ("The growth in net sales went on in May 2023.", ["supported"]),
    ],
)
def test_line_of_the_whole_settles_nothing_about_a_part(text: str, expected: list[str]) -> None:
    lines = [line_item(label="Net sales", context="", earlier=100, later=120)]
    results = check_directions(text, lines, "Acme plc", 2022)
    assert [result.verdict for result in results] == expected


def test_cost_of_sales_is_held_against_its_own_line() -> None:
    (result,) = check_directions("Cost of sales fell.", items(), "Acme plc", 2022)
    assert (result.verdict, result.item and result.item.label) == ("contradicted", "Cost of sales")


@pytest.mark.parametrize(
    ("head", "line", "expected"),
    [
        ("2022 2021 $ Change % Change", "Net sales $ 1,204 $ 1,100 $ 104 9.5%", (1204, 1100)),
        ("2022 2021 2022 vs. 2021", "Net sales 120 100 20%", (120, 100)),
        ("2022 2021", "Net sales 120 100 20%", (120, 100)),
        ("2022 2021 Increase (Decrease)", "Net loss (5) (3) (2)", (-5, -3)),
        ("2022 2021 Change", "Net sales (1) 120 100 20", (120, 100)),
        ("2022 Change 2021", "Net sales 120 20 100", None),
        ("2020 2019\n2022 Change 2021", "Net sales 120 20", None),
        ("2022 compared with 2021", "Net sales 120 100", None),
        ("2022 2021", "Net sales (1) 120 100", (120, 100)),
        ("2022 2021", "Net sales(1) $ 120 $ 100", (120, 100)),
        ("2022 2021", "Net sales (a) 120 100", (120, 100)),
        ("2022 2021", "Other (1) (2)", (-1, -2)),
        ("2022 2021", "Other — 2", (0, 2)),
        (
            "2022 2021",
            "Receivables, net of allowance of $650 and $633 48,688 44,261",
            (48688, 44261),
        ),
        ("2022 2021", "Receivables (net of allowance of $650 and $633) 48 44", (48, 44)),
        ("2022 2021", "Expense incurred in the fourth quarter of 2020 12 15", (12, 15)),
        ("2022 2021", "Fiscal 2029 24", None),
        ("2022 2021", "Europe 1,577 — 1,577", None),
        ("2022 2021", "Europe (1) 4,062 — 4,062", None),
        ("2022 2021", "Fair value $ — $ 40 $ — $ 40", None),
        ("2022 2021", "Debt 11,249 2.67 % 9,681 2.45 %", (11249, 9681)),
    ],
)
def test_year_columns_are_told_from_changes_marks_and_numbers_of_the_label(
    head: str, line: str, expected: tuple[float, float] | None
) -> None:
    rows = list(read_rows(f"{head}\n{line}"))
    assert [tuple(row.values.values()) for row in rows] == ([expected] if expected else [])


def test_shares_without_a_percent_sign_below_a_row_with_one() -> None:
    text = "2022 2021\nNet sales 120 100.0 % 100 100.0 %\nResearch (96) (0.7) (100) (0.8)"
    assert [row.values for row in read_rows(text)][1] == {2022: -96.0, 2021: -100.0}


def test_item_survives_the_way_through_a_log() -> None:
    item = items()[0]
    assert line_item(**item.as_dict()) == item
    assert item.metric == "revenue"


def test_long_numbers_in_prose_are_no_work() -> None:
    rows = read_rows(f"2023 2022\naccount {'1234567890' * 6} of the trust\nRevenue 46 51")
    assert [row.label for row in rows] == ["Revenue"]
