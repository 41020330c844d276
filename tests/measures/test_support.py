"""Tests of the scorer `support`: its counts and its value."""

from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.figures.checks.support import SupportFeatures, read_support, support_value
from arag_inspect.scorers import MEASURES, support
from tests.measures.cases import Case, run_cases

SOURCE = (
    "Revenue rose 5% to $20 million in Europe. Anna Smith expects more hiring. "
    "The board did not approve the merger with Contoso. Costs were 7 million."
)


def features(summary: str) -> SupportFeatures:
    [sentence] = read_support(summary, [SOURCE])
    return sentence.features


@pytest.mark.parametrize(
    ("summary", "counted"),
    [
        ("Revenue rose 5% to $20 million in Europe.", {}),
        ("Revenue rose 6% to $20 million.", {"figures": 1}),
        ("Revenue in Asia rose 5%.", {"new_names": 1}),
        ("All costs were 7 million.", {}),
        ("1) Revenue rose 5% in Europe.", {}),
        ("Costs were 7 million, no matter what.", {}),
        ("The board did not approve the merger.", {}),
        ("Revenue rose 5% to $20 million in Europe [11, 12].", {}),
        ("Revenue of European units rose.", {}),
        ("Revenue of about $0.02 billion was up 5%.", {}),
        ("Costs were no less than 7 million in Q3.", {}),
        ("Revenue fell 5%.", {"figures": 1, "turns": 1}),
        ("Revenue fell in Europe.", {"turns": 1}),
    ],
)
def test_features_counts_unsupported_elements(summary: str, counted: dict[str, float]) -> None:
    assert {name: count for name, count in features(summary)._asdict().items() if count} == counted


@pytest.mark.parametrize(
    ("summary", "source", "turns"),
    [
        ("Gross margin fell.", "Gross margin improved. Costs fell.", 1),
        ("Gross margin improved as costs fell.", "Costs decreased and gross margin rose.", 0),
        ("Orders rose.", "Orders of pumps were cut last year.", 1),
        ("Orders of pumps rose.", "Orders of pumps declined at first and later increased.", 0),
        ("Net interest margin was up.", "Net interest margin worsened. Costs fell.", 1),
        (
            "The plant in Ohio was closed as demand shrank.",
            "Profit grew. A plant opened in Iowa.",
            0,
        ),
    ],
)
def test_direction_counts_as_turn_only_when_source_has_opposite_alone(
    summary: str, source: str, turns: int
) -> None:
    [sentence] = read_support(summary, [source])
    assert sentence.features.turns == turns


@pytest.mark.parametrize(
    ("summary", "source", "figures"),
    [
        ("The effect of COVID-19 was small.", "The effect of COVID was small.", 0),
        ("The CoV-2 jab sold well.", "The jab sold well.", 0),
        ("In 4Q, orders rose.", "In the fourth quarter, orders rose.", 0),
        ("In Q4 and 2H, orders rose.", "In the fourth quarter, orders rose.", 0),
        ("In 2020, orders rose 19%.", "In FY20, orders rose.", 1),
        ("The pumps were up 7%.", "The pumps were down 7%.", 1),  # contradicts without metric
        ("It has 40 more pumps than last year.",
         "It has 40 fewer pumps than last year. It sold 40.", 0),
    ],
)  # fmt: skip
def test_contradicted_figures_are_counted_but_name_numbers_and_periods_are_not(
    summary: str, source: str, figures: int
) -> None:
    [sentence] = read_support(summary, [source])
    assert sentence.features.figures == figures


REFUSALS = [
    "I don't know.", "I am not able to answer this.",
    "The documents do not state the 2025 revenue.", "Not mentioned.",
    "The provided context doesn’t contain this information.",
    "There is no information on it in the passages.",
    "It cannot be determined from the filing.", "Not disclosed in the 10-K.",
    "None of the passages mention churn.",
    "Unable to determine.", "N/A", "Based on the sources, I could not find the margin.",
    "The text lacks this figure.",
    "I’m sorry, but I can’t assist with that request.", "I cannot help with that.",
    "I am unable to comply.", "Sorry, I can't do that.", "I must decline to answer.",
]  # fmt: skip
CLAIMS = [
    "The company did not provide guidance.", "Terms were not disclosed.",
    "There was no evidence of fraud.",
    "The board could not find a buyer.", "The company said the report was not true.",
    "It has no data centers.",
    "Sales of sources of energy did not include Asia.", "He did not know.",
    "I cannot help but note that revenue rose.", "We cannot help suppliers in Asia.",
    "I saw margins decline to 5%.",
]  # fmt: skip


def test_refusals_contain_no_claims() -> None:
    assert [text for text in REFUSALS if read_support(text, [SOURCE])] == []
    assert [text for text in CLAIMS if not read_support(text, [SOURCE])] == []
    [claim] = read_support("The documents do not state churn. Revenue rose 5%.", [SOURCE])
    assert claim.sentence == "Revenue rose 5%."


def test_hyphenated_names_and_spelled_out_numbers_are_recognized() -> None:
    [sentence] = read_support(
        "Sales of SARS vaccines rose to 25 machines.",
        ["Sales of the SARS-CoV-2 vaccines rose to twenty - five machines."],
    )
    assert (sentence.features.new_names, sentence.features.figures) == (0, 0)


def test_repeated_sentences_count_figures_each_and_odd_possessive_is_read() -> None:
    source = "Operating income was $11.2 billion. Interest expense was $12.4 billion."
    repeated = read_support("Operating income was $12.4 billion. " * 3, [source])
    assert [sentence.features.figures for sentence in repeated] == [1, 1, 1]
    assert read_support("The 1990s's revenue fell.", ["Revenue rose."])


def test_denial_counts_only_when_no_similar_source_sentence_denies() -> None:
    source = "Revenue rose 5% in Europe. Costs were 7 million."
    [denied] = read_support("Costs were not 7 million.", [source])
    assert denied.features.denies == 1
    [both] = read_support("Costs were not 7 million.", [f"{source} Costs did not rise."])
    assert both.features.denies == 0


def test_support_value_is_defined_for_sentence_of_numbers_only() -> None:
    many = "The table lists " + ", ".join(str(1000 + 7 * number) for number in range(300)) + "."
    assert 0 <= support_value(read_support(many, [SOURCE])) < 1e-9


def test_every_counted_feature_lowers_support_value() -> None:
    plain = support_value(read_support("Revenue rose 5% to $20 million in Europe.", [SOURCE]))
    for summary in ("Revenue rose 6%.", "Revenue in Asia rose 5%.", "Revenue fell 5%."):
        assert support_value(read_support(summary, [SOURCE])) < plain


@pytest.mark.usefixtures("logs")
def test_support_scores_answers_and_is_unscored_without_claims(tmp_path: Path) -> None:
    ran = run_cases(
        {
            "good": Case(answer="Revenue rose 5% to $20 million.", source=SOURCE),
            "bad": Case(answer="Revenue rose 6% to $30 million.", source=SOURCE),
            "empty": Case(answer="", source=SOURCE),
            "declined": Case(answer="The report does not mention it", source=SOURCE),
        },
        [support()],
    )
    good, bad = ran.score("good", "support"), ran.score("bad", "support")
    assert isinstance(good.value, float) and isinstance(bad.value, float)
    assert good.value > 0.5 > bad.value
    assert "figures 2" in (bad.explanation or "")
    empty: Score = ran.score("empty", "support")
    assert empty.reason
    assert ran.score("declined", "support").reason == "no_claims"


def test_support_label_shares_no_word_with_judged_support_labels() -> None:
    judged = [MEASURES["geval_faithfulness.supported"], MEASURES["geval_faithfulness"]]
    words = {word for spec in judged for word in spec.label.lower().split()}
    assert words.isdisjoint(MEASURES["support"].label.lower().split())
