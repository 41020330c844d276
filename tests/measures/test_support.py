"""Tests of the scorer `support`: its counts and its value."""

from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.figures.checks.support import SupportFeatures, read_support, support_value
from arag_inspect.scorers import MEASURES, support
from tests.measures.cases import Case, run_cases
from tests.tables import tables_beside

SOURCE = (
    "Revenue rose 5% to $20 million in Europe. Anna Smith expects more hiring. "
    "The board did not approve the merger with Contoso. Costs were 7 million."
)


CASES = tables_beside(__file__)


def features(summary: str) -> SupportFeatures:
    [sentence] = read_support(summary, [SOURCE])
    return sentence.features


@pytest.mark.parametrize(("summary", "counted"), CASES["unsupported elements"])
def test_features_counts_unsupported_elements(summary: str, counted: dict[str, float]) -> None:
    assert {name: count for name, count in features(summary)._asdict().items() if count} == counted


@pytest.mark.parametrize(("summary", "source", "turns"), CASES["directions"])
def test_direction_counts_as_turn_only_when_source_has_opposite_alone(
    summary: str, source: str, turns: int
) -> None:
    [sentence] = read_support(summary, [source])
    assert sentence.features.turns == turns


@pytest.mark.parametrize(("summary", "source", "figures"), CASES["figures"])
def test_contradicted_figures_are_counted_but_name_numbers_and_periods_are_not(
    summary: str, source: str, figures: int
) -> None:
    [sentence] = read_support(summary, [source])
    assert sentence.features.figures == figures


def test_refusals_contain_no_claims() -> None:
    assert [text for text in CASES["refusals"] if read_support(text, [SOURCE])] == []
    assert [text for text in CASES["claims"] if not read_support(text, [SOURCE])] == []
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
