"""Tests of extracting figures, with unit, sign, period and metric, from text."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect.benchmarks.synthetic import generate_calls
from arag_inspect.figures import Quantity, extract_quantities
from arag_inspect.figures.extract import extract_amounts
from arag_inspect.figures.lexicon import FAMILIES
from arag_inspect.figures.wording.mentions import Sentence
from arag_inspect.text.sentences import Span
from arag_inspect.types.sample import Fact

UNITS = {"usd": "currency", "usd_per_share": "per_share"}


def only_figure(text: str) -> Quantity:
    """Return the only figure in a text, ignoring dates."""
    figures = extract_amounts(text)
    assert len(figures) == 1, [figure.text for figure in figures]
    return figures[0]


@pytest.mark.parametrize(
    ("text", "value", "scale", "unit"),
    [
        ("revenue of 36.6 mln dollars", 36.6, "million", "currency"),
        ("a one billion dollars facility", 1, "billion", "currency"),
        ("Prices rose five percent.", 5, "one", "percent"),
        ("Margin rose by twenty basis points.", 20, "one", "basis_points"),
        ("Margin rose by one hundred and twenty basis points.", 120, "one", "basis_points"),
        ("Rate excluding special items 21.3 %", 21.3, "one", "percent"),
        ("Excluding special items 1,250 million", 1250, "million", "count"),
        ("a 200-basis-point gain", 200, "one", "basis_points"),
        ("Margin rose a half point.", 0.5, "one", "points"),
        ("Leverage was 1.5x.", 1.5, "one", "multiple"),
        ("Leverage was 4.7 times.", 4.7, "one", "multiple"),
        ("We opened 1,650 stores.", 1650, "one", "count"),
        ("We sold 225 million tests.", 225, "million", "count"),
        ("Earnings were $1.01 per diluted share.", 1.01, "one", "per_share"),
        ("q3 earnings per share $43.64.", 43.64, "one", "per_share"),
    ],
)
def test_extract_reads_value_scale_and_unit(text: str, value: float, scale: str, unit: str) -> None:
    figure = only_figure(text)
    assert (figure.value, figure.scale, figure.unit) == (value, scale, unit)


@pytest.mark.parametrize(
    ("text", "low", "high", "scale"),
    [
        ("sees $2.85 to $3.10 per share", 2.85, 3.10, "one"),
        ("up 2% to 3%", 2, 3, "one"),
        ("between 5 and 7 percent", 5, 7, "one"),
        ("$49 billion to $51 billion", 49, 51, "billion"),
        ("$950 million to $1.05 billion", 950, 1050, "million"),
        ("$3.10-$3.25", 3.10, 3.25, "one"),
        ("5%\u20137% growth", 5, 7, "one"),
        ("5% \u20137% growth", 5, 7, "one"),
        ("grow nine to twelve percent", 9, 12, "one"),
        ("earnings outlook raised to $13.15 to $13.35", 13.15, 13.35, "one"),
        ("net loss per share of $0.40 to $0.25", 0.25, 0.40, "one"),
    ],
)
def test_extract_reads_ranges(text: str, low: float, high: float, scale: str) -> None:
    figure = only_figure(text)
    assert (figure.value, figure.value_high, figure.scale) == (low, high, scale)


@pytest.mark.parametrize(
    "text",
    [
        "The dividend was increased from $0.25 to $0.29 per share.",
        "Revenue increased $98 million to $914 million.",
        "Cash was $5 million and debt was $7 million.",
    ],
)
def test_extract_does_not_merge_two_figures_into_range(text: str) -> None:
    assert [figure.value_high for figure in extract_quantities(text)] == [None, None]


@pytest.mark.parametrize(
    "text",
    [
        "We file our 10-K and the COVID-19 update.",
        "Q3 was good, and so was 2Q20.",
        "Section 232 and Item 1A apply.",
        "Please turn to Slide 18 and ASC 606.",
        "1. Outlook\n2) Risks\n(3) Controls",
        "Call 1-800-555-1234 or 555-1234 at 10:30 a.m.",
        "It is due on 5/31/2024, or 2024-05-31 at the latest.",
        "Sales rose in fiscal 2024/25, in FY 24 and in the 1990s.",
        "The 401(k) plan holds shares of 3M.",
        "The 737 MAX and the 737MAX-8 have screens of 1080p.",
        "Over the 13 weeks, and in quarter 3, sales rose.",
        "We are #1 here since the spring of '24.",
        "We submitted our 510(k) for the 5G phone and the C-40.",
        "One of the best quarters; all two of them agree.",
        "(5) Controls are in place.",
        "It has five (5) million-dollar plans: (1) million in all.",
        "The risks are: (1) supply; (2) demand; (3) percent of sales.",
        "(1) Percent of net sales.",
        "Net sales rose.\n(5)",
    ],
)
def test_extract_ignores_numbers_that_are_not_figures(text: str) -> None:
    assert extract_quantities(text) == []


def test_extract_marks_dates_and_years() -> None:
    figures = extract_quantities("As of March 31, 2021 we expect 2022 to be better than 2019.")
    assert [(figure.text, figure.unit) for figure in figures] == [
        ("March 31, 2021", "date"),
        ("2022", "year"),
        ("2019", "year"),
    ]


@pytest.mark.parametrize(
    ("text", "negative"),
    [
        ("q2 loss per share $0.39.", True),
        ("diluted earnings per share of ($4.81)", True),
        ("EBITDA was minus $5 million.", True),
        ("We lost $0.12 per share.", True),
        ("The provision for credit losses was $5 million.", False),
        ("Adjusted EPS ($3.17 on an adjusted basis)", False),
        ("(5)", True),
        ("(5%)", True),
        ("\u20135.3%", True),
        ("\u22125.3%", True),
        ("The margin was (5.3%).", True),
        ("The margin was (5) percent.", True),
        ("It was $(5.3)M.", True),
        ("($5) thousand", True),
        ("$ (1,234) million", True),
        ("Net cash was $(5) million.", True),
        ("Revenue fell to a fifth (5%).", False),
        ("Revenue was flat (5% in Europe).", False),
        ("Revenue \u2013 5% of it abroad", False),
    ],
)
def test_extract_reads_sign(text: str, negative: bool) -> None:
    assert only_figure(text).negative is negative


def test_extract_reads_both_figures_of_net_loss_as_negative() -> None:
    figures = extract_quantities("Net loss was $7.4 million or $0.19 per share.")
    assert [figure.negative for figure in figures] == [True, True]


def test_extract_reads_metric_basis_status_and_period() -> None:
    text = (
        "GAAP EPS was $1.10, down from $1.20 a year ago; "
        "for fiscal 2022, we expect adjusted EPS of $3.00 to $3.25, up 5% sequentially."
    )
    now, before, outlook, change = (f for f in extract_quantities(text) if f.unit != "year")
    assert (now.metric, now.basis, now.status, now.direction) == ("eps", "gaap", "actual", "down")
    assert not now.period.prior and before.period.prior and before.direction is None
    assert (outlook.basis, outlook.status) == ("adjusted", "guidance")
    assert (outlook.period.span, outlook.period.year) == ("FY", 2022)
    assert change.change and change.direction == "up" and change.against == "quarter"


@pytest.mark.parametrize(
    ("text", "span", "year", "prior"),
    [
        ("Q3 2021 revenue was $5 million.", "Q3", 2021, False),
        ("Revenue in the third quarter of fiscal 2022 was $5 million.", "Q3", 2022, False),
        ("Fiscal '22 second quarter revenue was $5 million.", "Q2", 2022, False),
        ("Revenue in the 4st quarter was $5 million.", "Q4", None, False),
        ("2Q20 revenue was $5 million.", "Q2", 2020, False),
        ("FY21 revenue was $5 million.", "FY", 2021, False),
        ("Full-year revenue was $5 million.", "FY", None, False),
        ("Revenue was $5 million in the prior-year quarter.", None, None, True),
        ("Revenue grew, compared with $5 million in Q3 of last year.", "Q3", None, True),
        ("Revenue was $5 million versus last year's forecast.", None, None, False),
    ],
)
def test_extract_reads_period(text: str, span: str | None, year: int | None, prior: bool) -> None:
    period = only_figure(text).period
    assert (period.span, period.year, period.prior) == (span, year, prior)


def test_extracted_spans_index_original_text() -> None:
    text = "İstanbul sales were strong. Revenue was $5 million\u200b, up 3%."
    assert [text[f.span.start : f.span.end] for f in extract_quantities(text)] == [
        "$5 million",
        "3%",
    ]


@given(
    value=st.decimals(min_value="0.01", max_value="999.99", places=2),
    scale=st.sampled_from(["thousand", "million", "billion"]),
    style=st.sampled_from(["${v} {s}", "{v} {s} dollars", "USD {v} {s}", "US${v} {s}", "${v}{x}"]),
    around=st.sampled_from(["Revenue was {}.", "it had {}, we said", "({} in all)", "{}"]),
)
@settings(max_examples=100)
def test_extract_reads_amount_in_any_style(
    value: object, scale: str, style: str, around: str
) -> None:
    short = {"thousand": "k", "million": "M", "billion": "bn"}[scale]
    figure = only_figure(around.format(style.format(v=value, s=scale, x=short)))
    assert (figure.value, figure.scale, figure.currency) == (float(str(value)), scale, "usd")
    assert figure.decimals == 2


@given(st.integers(1, 999_999))
def test_extract_ignores_thousands_separators(value: int) -> None:
    plain, grouped = (
        only_figure(f"We had about {value} customers."),
        only_figure(f"We had about {value:,} customers."),
    )
    assert plain.value == grouped.value == value


@given(st.text(alphabet="$€()%-–.,;0123456789 aQq'’\n\x00KMbx", max_size=60))
def test_extract_accepts_any_text_and_keeps_spans_valid(text: str) -> None:
    for figure in extract_quantities(text):
        assert figure.text == text[figure.span.start : figure.span.end].strip()
        assert figure.value_high is None or figure.value_high >= figure.value


def _metric_of(metric: str) -> str | None:
    """Return the reader's name for a synthetic fact's metric, or None."""
    base = metric.removesuffix(" change").removesuffix(" growth")
    base = {"store count": "stores", "diluted eps": "eps"}.get(base, base)
    base = "revenue" if base.endswith(" revenue") else base
    return base if base in FAMILIES else None


def test_extract_recovers_synthetic_facts() -> None:
    right, totals = Counter[str](), Counter[str]()
    figures_of = cache(extract_quantities)
    for call in generate_calls(40):
        for fact in call.facts:
            hits = [f for f in figures_of(fact.sentence) if _same_figure(f, fact)]
            assert hits, fact
            prior = fact.period[-4:] < call.document.period[-4:]
            values_by_property: dict[str, tuple[object, Sequence[object]]] = {
                "basis": (fact.basis, [f.basis for f in hits]),
                "status": (fact.status, [f.status or "actual" for f in hits]),
                "direction": (fact.direction, [f.direction for f in hits]),
            }
            if fact.status == "actual":
                values_by_property["prior"] = (prior, [f.period.prior for f in hits])
            if _metric_of(fact.metric):
                values_by_property["metric"] = (_metric_of(fact.metric), [f.metric for f in hits])
            for name, (expected, values) in values_by_property.items():
                totals[name] += 1
                right[name] += expected in values
    rates = {name: right[name] / totals[name] for name in totals}
    assert min(rates["basis"], rates["status"], rates["prior"]) > 0.98, rates
    assert rates["direction"] > 0.97, rates
    assert rates["metric"] > 0.85, rates


def _same_figure(figure: Quantity, fact: Fact) -> bool:
    return (figure.value, figure.value_high, figure.scale, figure.unit) == (
        fact.value,
        fact.value_high,
        fact.scale,
        UNITS.get(fact.unit or "", fact.unit),
    )


def test_extract_ignores_citation_marks() -> None:
    figures = extract_quantities("Margins fell [3, 4] to 10% [12][chunk 7], or $[5] million.")
    assert [figure.text for figure in figures] == ["10%", "5"]


def clause_of(sentence: str, start: int, end: int) -> Span:
    return Sentence(sentence, sentence, Span(0, len(sentence))).clause(start, end)


@pytest.mark.parametrize(
    ("sentence", "figure", "clause"),
    [
        (
            "revenue was $5 million, while costs were $3 million",
            "$3 million",
            "costs were $3 million",
        ),
        ("revenue was $5 million, up 3%", "3%", "revenue was $5 million, up 3%"),
        (
            "it expects sales of $5 million and repaid $2 million of debt",
            "$2 million",
            "repaid $2 million of debt",
        ),
        (
            "for fiscal 2022, we expect sales of $5 million; costs rose",
            "$5 million",
            "for fiscal 2022, we expect sales of $5 million",
        ),
    ],
)
def test_clause_of_returns_clause_around_figure(sentence: str, figure: str, clause: str) -> None:
    start = sentence.index(figure)
    first, last = clause_of(sentence, start, start + len(figure))
    assert sentence[first:last] == clause


@given(st.text(alphabet="in for and, while;: up was $5 ", max_size=60), st.data())
def test_clause_of_contains_given_span(sentence: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(sentence)))
    end = data.draw(st.integers(start, len(sentence)))
    first, last = clause_of(sentence, start, end)
    assert first <= start <= end <= last
