"""Tests of verifying claims with figures against a source."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect.benchmarks.synthetic import generate_calls
from arag_inspect.figures import (
    CheckedClaim,
    Quantity,
    compare,
    extract_quantities,
    numerical_precision,
    verify_claims,
)
from arag_inspect.figures.extract import extract_amounts
from arag_inspect.types.sample import Fact
from tests.linear import is_linear
from tests.tables import tables_beside

CASES = tables_beside(__file__, "cases.yaml")


def figure(text: str, index: int = 0) -> Quantity:
    return extract_amounts(text)[index]


def verdict(claim: str, source: str) -> tuple[str, str | None]:
    comparison = compare(figure(claim), figure(source))
    return comparison.outcome, comparison.differs[0] if comparison.differs else None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Revenue was $1.2 billion.", "Revenue was $1,200 million."),
        ("Revenue was $1.2 billion.", "Revenue was $1,234 million."),
        ("Revenue was $1.2 billion.", "Revenue of USD 1,200,000,000 was reported."),
        ("Gross margin rose 120 basis points.", "Gross margin rose 1.2 percentage points."),
        (
            "sees sales of $0.95 to $1.05 billion",
            "We expect sales of $950 million to $1.05 billion.",
        ),
        ("Revenue fell 3%.", "Revenue declined by 3%."),
        ("q3 loss per share $0.39.", "We had a loss of $0.39 per share."),
        ("The intrusion cost $61 million.", "Response and lost business cost us $61 million."),
        ("The strike cost $9 million.", "With lost production, the strike cost $9 million."),
        ("The recall cost $3 million.", "Lost sales included, the recall cost $3 million."),
        ("The company lost $9 million.", "The net loss was $9 million."),
        ("Revenue was not only $5 million.", "Revenue was $5 million."),
        ("Revenue was not $5 million.", "Revenue was never $5 million."),
    ],
)
def test_matching_claim_is_supported(claim: str, source: str) -> None:
    assert verdict(claim, source) == ("supported", None)


@pytest.mark.parametrize(
    ("claim", "source", "differs"),
    [
        ("Revenue was $1.3 billion.", "Revenue was $1.2 billion.", "value"),
        ("Revenue was $1.2 million.", "Revenue was $1.2 billion.", "value"),
        ("Revenue was €1.2 billion.", "Revenue was $1.2 billion.", "value"),
        ("Revenue was 5 percent.", "Revenue was $5 million.", "value"),
        ("EPS was $0.39.", "EPS was a loss of $0.39.", "sign"),
        ("Revenue rose 3%.", "Revenue fell 3%.", "direction"),
        ("Q3 revenue was $5 million.", "Q2 revenue was $5 million.", "period"),
        ("2021 revenue was $5 million.", "2020 revenue was $5 million.", "period"),
        ("Full-year revenue was $5 million.", "Third quarter revenue was $5 million.", "period"),
        ("Revenue was $5 million.", "Revenue was $5 million a year ago.", "period"),
        ("GAAP EPS was $1.01.", "Adjusted EPS was $1.01.", "basis"),
        ("Revenue rose 3% from the prior quarter.", "Revenue rose 3% from the prior year.", "base"),
        ("Revenue was $5 million.", "We expect revenue of $5 million.", "status"),
        ("Revenue was not $5 million.", "Revenue was $5 million.", "denial"),
        ("Revenue did not rise 3%.", "Revenue rose 3%.", "denial"),
        ("It is not true that revenue was $5 million.", "Revenue was $5 million.", "denial"),
        ("Sees EPS of $3.00 to $3.30.", "We expect EPS of $3.00 to $3.20.", "value"),
    ],
)
def test_differing_claim_is_contradicted(claim: str, source: str, differs: str) -> None:
    assert verdict(claim, source) == ("contradicted", differs)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Revenue was $1.2 billion.", "Operating income was $1.3 billion."),
        ("Revenue was $1.2 billion.", "Revenue in Outdoor and Sports was $430 million."),
        ("Q3 revenue was $1.2 billion.", "Q2 revenue was $1.1 billion."),
        ("GAAP EPS was $1.10.", "Adjusted EPS was $1.01."),
        ("Revenue rose 5%.", "Revenue was $5 million."),
        ("Revenue was not $6 million.", "Revenue was $5 million."),
    ],
)
def test_claim_about_other_fact_is_unrelated(claim: str, source: str) -> None:
    assert verdict(claim, source)[0] == "unrelated"


def test_claim_more_precise_than_source_is_unsettled() -> None:
    assert verdict("Revenue was $1,234 million.", "Revenue was $1.2 billion.") == (
        "unrelated",
        "precision",
    )
    (claim,) = verify_claims("Revenue was $1,234 million.", ["Revenue was $1.2 billion."])
    assert (claim.verdict, claim.differs) == ("unsettled", ("precision",))


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("Storm repairs came to $6 billion.", "Storm repairs came to $6 million."),
        ("Storm repairs came to $6 thousand.", "In all, storm repairs came to $6 million."),
        (
            "The site draws 31 thousand visitors.",
            "Each year, 31 million visitors come to the site.",
        ),
        ("Ticket revenue was $310 million.", "Ticket revenue at all sites was $310 thousand."),
    ],
)
def test_figure_is_contradicted_when_source_has_other_scale(statement: str, passage: str) -> None:
    (claim,) = verify_claims(statement, [passage])
    assert (claim.verdict, claim.differs) == ("contradicted", ("value",))


def test_verify_claims_returns_verdicts_with_deciding_sentence() -> None:
    passages = [
        "Good morning. Revenue was $1.2 billion in the quarter. We paid 40 lawyers for the merger.",
        "Operating margin was 9.6%, down from 10.2% last year.",
    ]
    summary = (
        "Revenue was $1.2 billion. Operating margin was 10.2%. "
        "The firm opened 40 sites. Debt was $7 million. In 2021 it was so."
    )
    claims = verify_claims(summary, passages)
    assert [(c.figure.text, c.verdict) for c in claims] == [
        ("$1.2 billion", "supported"),
        ("10.2%", "contradicted"),
        ("40", "unsettled"),
        ("$7 million", "not_found"),
    ]
    assert claims[0].source == "Revenue was $1.2 billion in the quarter."
    assert claims[1].differs == ("period",) and claims[1].source == passages[1]
    assert claims[3].source is None and claims[3].sentence == "Debt was $7 million."


def test_analyst_estimate_is_unsettled_not_contradicted() -> None:
    (_, estimate) = verify_claims(
        "q3 sales $410 million versus refinitiv ibes estimate of $412 million.",
        ["Sales were $412 million."],
    )
    assert estimate.verdict == "unsettled"


def test_verify_claims_returns_nearest_sentence_with_same_figure() -> None:
    own = "We recorded second quarter revenue of $4.94 billion, down 3% from $5.11 billion."
    others = [
        "In Services, revenue was $3.1 billion, a drop of 3% on $3.19 billion a year earlier.",
        "Revenue fell 3%.",
    ]
    claims = verify_claims(own, [others[0], own, others[1]])
    assert {(claim.verdict, claim.source) for claim in claims} == {("supported", own)}


def test_verify_claims_handles_empty_summary_and_empty_source() -> None:
    assert verify_claims("", ["Revenue was $1."]) == []
    (claim,) = verify_claims("Revenue was $1.", [])
    assert claim.verdict == "not_found"


CALLS = tuple(generate_calls(12, 2))
SENTENCES = tuple(dict.fromkeys(fact.sentence for call in CALLS for fact in call.facts))


def checked(summary: str, fact: Fact, source: str) -> CheckedClaim:
    """Return the check of the figure in place of the fact's figure."""
    position = next(
        index
        for index, candidate in enumerate(extract_amounts(fact.sentence))
        if (candidate.value, candidate.value_high, candidate.scale)
        == (fact.value, fact.value_high, fact.scale)
    )
    return verify_claims(summary, [source])[position]


def test_copied_claim_is_supported() -> None:
    passages = [section.text for call in CALLS for section in call.document.sections]
    claims = verify_claims("\n".join(SENTENCES), passages)
    assert len(claims) > len(SENTENCES)
    for claim in claims:
        assert claim.verdict == "supported", claim


@given(st.sampled_from(SENTENCES), st.integers(1, 500), st.sampled_from([-1, 1]))
@settings(max_examples=100)
def test_changed_number_is_not_supported(sentence: str, steps: int, sign: int) -> None:
    for index, number in enumerate(extract_amounts(sentence)):
        digits = f"{number.value:,.{number.decimals}f}"
        if digits not in number.text:
            continue
        value = number.value + sign * steps * 10**-number.decimals
        values = {f.value for f in extract_amounts(sentence)}
        near = (number.hedged or number.bound) and abs(value / number.value - 1) < 0.1
        if value <= 0 or round(value, 6) in values or near or number.value_high is not None:
            continue
        changed = number.text.replace(digits, f"{value:,.{number.decimals}f}", 1)
        summary = sentence[: number.span.start] + changed + sentence[number.span.end :]
        assert verify_claims(summary, [sentence])[index].verdict != "supported", summary


def _property_changes() -> Iterator[tuple[str, str, str]]:
    """Return replacements in a sentence, with the property that each changes."""
    yield " billion", " million", "scale"
    yield " million", " billion", "scale"
    yield "$", "€", "currency"
    for up, down in (("rose", "fell"), ("increased", "decreased"), ("surged", "fell")):
        yield f"{up} ", f"{down} ", "direction"
    yield "declined ", "rose ", "direction"
    yield "decreased ", "increased ", "direction"
    yield "grew ", "fell ", "direction"
    yield "fiscal 2022", "fiscal 2021", "period"
    yield "second quarter", "third quarter", "period"
    yield "Adjusted EPS", "GAAP EPS", "basis"
    yield "GAAP earnings", "Adjusted earnings", "basis"
    yield "was $", "is expected to be $", "status"
    yield "we expect", "we reported", "status"


@pytest.mark.parametrize(("old", "new", "differs"), list(_property_changes()))
def test_changed_property_is_not_supported(old: str, new: str, differs: str) -> None:
    checked_count = 0
    for sentence in SENTENCES:
        if sentence.count(old) != 1:
            continue
        changed = sentence.replace(old, new)
        pairs = zip(extract_amounts(sentence), verify_claims(changed, [sentence]), strict=True)
        for amount, claim in pairs:
            if not _is_affected(amount, claim.figure, differs):
                continue
            checked_count += 1
            assert claim.verdict != "supported", claim
            if differs in ("direction", "period", "basis", "status"):
                assert claim.verdict == "contradicted" and differs in claim.differs, claim
    assert checked_count  # otherwise the replacement would prove nothing


def _is_affected(before: Quantity, after: Quantity, differs: str) -> bool:
    """Return whether the change of wording affects this figure for the reader."""
    if before.period.prior and differs != "scale":
        return False
    values = getattr(before, differs), getattr(after, differs)
    return values[0] != values[1] and not (differs == "status" and None in values)


def test_verify_claims_takes_linear_time_in_source_length() -> None:
    text = " ".join(s.text for call in generate_calls(12) for s in call.document.sections)
    words = text.split(" ")
    sentences = [f.sentence for call in generate_calls(20) for f in call.facts][:400]
    summary = " ".join(dict.fromkeys(sentences))

    def check(length: int) -> None:
        claims = verify_claims(summary, [" ".join(words[:length])])
        assert len(claims) > 300

    assert len(words) > 24_000 and is_linear(check, 6_000)


def test_numerical_precision_is_share_of_values_found_in_source() -> None:
    source = ["Revenue of $1,200.50 million rose 5% in Q3.", "We have 40 stores."]
    assert numerical_precision("1200.5 and 5.0 and 40 and 41", source) == 0.75
    assert numerical_precision("No value in Q3 or COVID-19.", source) is None
    assert numerical_precision("40 of 7 and 7", source) == 0.5
    assert numerical_precision("1. It sold 40.\n2) It sold 7.", source) == 0.5


@pytest.mark.parametrize("label", CASES["labels"])
def test_numerical_precision_ignores_labels(label: str) -> None:
    assert numerical_precision(f"Sales by {label} rose.", ["no figure"]) is None
    assert numerical_precision(f"Sales by {label} of $5.", [label, "$5"]) == 1


@pytest.mark.parametrize(
    "value", ["$2,021", "2021.5", "$2021", "2,021 stores", "20,210", "30 Junes"]
)
def test_numerical_precision_counts_values_resembling_labels(value: str) -> None:
    assert numerical_precision(f"Sales of {value}.", ["no figure"]) == 0


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Revenue decreased 80%.", ["80"]),
        ("It declined 12 percent.", ["12"]),
        ("Operating margin 26%.", ["26"]),
        ("A market 20 times as large.", ["20"]),
        ("It may 5 bps.", ["5"]),
        ("March 12% growth", ["12"]),
        ("10-12%", ["10", "12"]),
        ("4–4.8 billion", ["4", "4.8"]),
        ("5bn-7bn", ["5", "7"]),
        ("10-to-12%", ["10", "12"]),
        ("1,234-1,300", ["1234", "1300"]),
        ("-5%", ["5"]),
        ("$.45", ["0.45"]),
        ("$4.2¹ billion [7]", ["4.2"]),
    ],
)
def test_numerical_precision_counts_each_value_of_text(text: str, values: list[str]) -> None:
    assert numerical_precision(text, [" and ".join(values)]) == 1
    for left_out in range(len(values)):
        other_values = " and ".join(values[:left_out] + values[left_out + 1 :])
        assert numerical_precision(text, [other_values]) == (len(values) - 1) / len(values)


def _shares(folder: Path, shift: int) -> dict[str, float]:
    names = sorted(path.name for path in (folder / "ects").glob("*.txt"))
    counts = Counter[str]()
    for index, name in enumerate(names):
        other = names[(index + shift) % len(names)]
        summary = (folder / "gt_summaries" / name).read_text(encoding="utf-8")
        transcript = (folder / "ects" / other).read_text(encoding="utf-8")
        counts.update(claim.verdict for claim in verify_claims(summary, [transcript]))
    return {key: count / counts.total() for key, count in counts.items()}


def test_real_summaries_are_supported_by_own_call_but_not_by_another(recorded_calls: Path) -> None:
    folder = recorded_calls / "data" / "final" / "val"
    own, other = _shares(folder, 0), _shares(folder, 1)
    assert own["supported"] > 0.7 and own.get("contradicted", 0) < 0.04, own
    assert other.get("supported", 0) < 0.02 and other["not_found"] > 0.85, other


@pytest.mark.parametrize(("summary", "source", "verdict"), CASES["words around figures"])
def test_words_around_figure_decide_verdict(summary: str, source: str, verdict: str) -> None:
    claims = verify_claims(summary, [source])
    if verdict == "supported":
        assert {claim.verdict for claim in claims} == {"supported"}
    else:
        assert claims[0].verdict == verdict


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("EBITDA was $5 million.", "Revenue was $5 million."),
        ("It opened 40 sites.", "We paid 40 lawyers for the merger."),
        ("The discount rose 15%.", "Clients saved less, as the rebate fell 15%."),
        (
            "Occupancy fell 11 basis points.",
            "Occupancy was 91.3%, down 10 basis points from 91.4%.",
        ),
        ("Cash was $5 million.", "Free cash flow was $5 million."),
        ("Free cash flow was $5 million.", "Cash was $5 million at the end of the year."),
        ("Cash was $5 million.", "Operating cash flow was $5 million."),
        ("Gross margin rose 150 basis points.", "Gross margin rose to 2.03% from 2.00%."),
        ("The tax rate fell 5 percentage points.", "The tax rate fell to 19% from 20%."),
    ],
)
def test_same_figure_about_other_subject_is_not_supported(summary: str, source: str) -> None:
    assert "supported" not in [claim.verdict for claim in verify_claims(summary, [source])]


def test_about_before_year_does_not_make_count() -> None:
    assert [figure.unit for figure in extract_quantities("It is confident about 2021.")] == ["year"]
    [stores] = extract_quantities("It has about 2000 stores.")
    assert stores.unit == "count"


def test_supporting_sentence_outweighs_unrelated_one_with_same_figure() -> None:
    passages = ["Costs rose 5% last year.", "We grew subscriptions by 5%."]
    claims = verify_claims("Subscriptions rose 5%.", passages)
    assert [claim.verdict for claim in claims] == ["supported"]


def test_number_in_product_name_is_not_extracted() -> None:
    figures = extract_quantities("Sales of the iPhone 14 rose 5%.")
    assert [figure.text for figure in figures] == ["5%"]
    assert [f.text for f in extract_quantities("We opened Texas 14 stores.")] == ["14"]


@pytest.mark.parametrize(
    ("head", "contradicted"),
    [("January 28, 2023 | January 29, 2022", False), ("June 30, 2023 | June 30, 2022", True)],
)
def test_year_is_not_contradicted_when_columns_end_in_january(
    head: str, contradicted: bool
) -> None:
    table = f"(in millions)\n\n| | {head} |\n|---|---|---|\n| Net sales | 157,403 | 151,157 |"
    (claim,) = verify_claims("Net sales were $157,403 million in fiscal 2022.", [table])
    assert (claim.verdict == "contradicted") == contradicted


def test_wrong_change_is_contradicted_beside_base_of_a_quarter() -> None:
    source = "Our store count was 1,230, compared with 1,130 in Q1 last year, an advance of 9%."
    claims = verify_claims(source.replace("9%", "12%"), [source])
    assert [claim.verdict for claim in claims] == ["supported", "supported", "contradicted"]


@pytest.mark.parametrize("answer", ["30.2%.", "The answer is 30.2%."])
def test_figure_without_words_is_not_contradicted_by_period(answer: str) -> None:
    """An answer may leave to its question what the figure is of."""
    (claim,) = verify_claims(
        answer, ["Gross margin was 31.4%, compared with 30.2% a year earlier."]
    )
    assert claim.verdict == "unsettled"
