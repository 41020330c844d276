"""Tests of one measure for answers with figures and answers in words."""

from collections.abc import Callable

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model
from inspect_ai.scorer import Scorer

from arag_inspect.report.comparison.primary import primary_of
from arag_inspect.scorers import MEASURES, answer_match, contain_match, numeric_match
from tests.measures.cases import answered
from tests.scripted import run, scripted, speak

pytestmark = pytest.mark.usefixtures("logs")

CASES: list[tuple[str | list[str], str, bool]] = [
    # gold answer or alternatives, answer, correct
    ("$34,229 million", "Revenue was $34.2 billion.", True),
    ("$34,229 million", "Revenue was $32.4 billion.", False),
    ("13.2%", "It grew by 0.132.", True),
    ("Jane Doe", "The CEO is Jane Doe.", True),
    ("Jane Doe", "The CEO is John Doe.", False),
    ("yes", "Yes, in 2021.", True),
    ("yes", "No.", False),
    ("March 3, 2021", "On 3 March 2021.", True),
    ("June 2027", "It matures in March 2027.", False),
    ("September 2025", "On 22 September 2025.", True),
    ("$412 million and $388 million", "In 2021 $412 million, and in 2020 $388 million.", True),
    ("$412 million and $388 million", "It was $412 million.", False),
    ("Form 10-K", "As said in Form 10-K.", True),
    ("Form 10-K", "As said in Form 10-Q.", False),
    ("Q3 2021", "It was in Q3 2021.", True),
    ("Q3 2021", "It was in Q2 2021.", False),
    ("Section 12", "Section 21 says so, for 12 months.", False),
    (["$5 million", "the lease"], "It is the lease.", True),
    (["$5 million", "the lease"], "It is $5 million.", True),
    (["$5 million", "the lease"], "It is $6 million.", False),
    ("$5 million", "I do not know.", False),
    ("$5 million", "", False),
    ("$412 million in 2021", "It was $412 million in 2021.", True),
    ("$412 million in 2021", "It was $412 million in 2020 and $388 million in 2021.", False),
    ("7.3%", "Sales 2024 $1,842 2023 $1,716; sales were $1,842 and $1,716, up 7.3%.", True),
    ("7.3%", "Sales were $1,842, $1,716, $1,601 and $1,588, up 7.3%.", False),
    ("41,300 MWh", "They used 41,300 megawatt hours in 2025.", True),
    ("41,300 megawatt-hours", "They used 41,300 MWh in 2025.", True),
    ("41,300 MWh", "They used 41.3 GWh in 2025.", True),
    ("41,300 MWh", "They have 41,300 MW in 2025.", False),
    ("400 square metres", "It was extended by 400 m².", True),
    ("400 m2", "It was extended by 400 square meters.", True),
    ("400 m²", "It was extended by 400 sq ft.", False),
    ("1,200 sq ft", "The shop has 1,200 square feet.", True),
    ("1,200 square feet", "The shop has 1,200 ft².", True),
    ("20 square kilometres", "The site has 20 km².", True),
    ("3 cubic metres", "The tank holds 3 m³.", True),
    ("40 t", "It weighs 40 tonnes.", True),
    ("900 bbl", "It produced 900 barrels.", True),
    ("14 days notice", "It is 14 days.", False),
]


def test_answer_match_compares_figures_as_numbers_and_searches_for_words() -> None:
    scores = answered(answer_match(), [(answer, gold) for gold, answer, _ in CASES])
    assert [bool(score.value) for score in scores] == [right for *_, right in CASES]


EXPLAINED = [
    ("7.3%", "It grew by 7.3%.", "7.3% is 7.3."),
    ("36 months", "It runs for 3 years.", "3 years is 36 months."),
    ("41,300 MWh", "It is 41,300 MW.", "Expected 41300 MWh; the answer gives 41,300 MW."),
    ("400 m²", "It is 400 sq ft.", "Expected 400 m²; the answer gives 400 sq ft."),
    ("240 euros", "It is $240.", "Expected 240 euros; the answer gives $240."),
    (
        "7.3%",
        "Sales were $1, $2, $3 and $4, up 7.3%.",
        "Expected 7.3; the answer gives more than 4 figures, $1, $2, $3, $4, 7.3%.",
    ),
    ("Jane Doe", "It is John Doe.", "Expected Jane Doe; the answer does not contain these words."),
    ("Jane Doe", "It is Jane Doe.", "The answer contains Jane Doe."),
    ("June 2027", "In May 2027.", "Expected June 2027; the answer gives May 2027."),
    ("June 2027", "In 2027.", "Expected June 2027; the answer gives 2027."),
    ("28 November 2025", "2025-11-28", "2025-11-28 is 28 November 2025."),
]
"""Gold answers, answers and explanations."""


def test_answer_match_explains_what_was_expected_and_given() -> None:
    scores = answered(answer_match(), [(answer, gold) for gold, answer, _ in EXPLAINED])
    assert [score.explanation for score in scores] == [reason for *_, reason in EXPLAINED]


def _model_answering(answer: str) -> Model:
    return scripted(lambda *_: speak(answer, 1))


@pytest.mark.parametrize(
    ("parts", "answer", "missing"),
    [
        (["Jane Doe", "$5 million"], "Jane Doe received $5 million.", []),
        (["Jane Doe", "$5 million"], "Jane Doe received $6 million.", ["$5 million"]),
        (["Jane Doe", "$5 million"], "It was $5 million.", ["Jane Doe"]),
        (
            ["$5 million", "$7 million", "$9 million"],
            "A has $5 million. B has $7 million. C has $9 million.",
            [],
        ),
        (["$5 million", "$7 million"], "A has $5 million. B has none.", ["$7 million"]),
        (["$5 million"], "It is $5.0 million.", []),
    ],
)
def test_answer_match_requires_every_answer_part(
    parts: list[str], answer: str, missing: list[str]
) -> None:
    samples = [Sample(input="What?", target="; ".join(parts), metadata={"answer_parts": parts})]
    log = run(Task(dataset=samples, scorer=answer_match()), _model_answering(answer))
    assert log.samples and log.samples[0].scores
    score = log.samples[0].scores["answer_match"]
    assert score.value == float(not missing)
    assert score.metadata is not None and score.metadata["missing"] == missing


@pytest.mark.parametrize(("target", "parts"), [("", None), ("five", "five"), ("x", [5])])
def test_answer_match_is_unscored_without_readable_gold_answer(target: str, parts: object) -> None:
    samples = [Sample(input="What?", target=target, metadata={"answer_parts": parts})]
    log = run(Task(dataset=samples, scorer=answer_match()), _model_answering("five"))
    assert log.samples and log.samples[0].scores
    assert log.samples[0].scores["answer_match"].reason == "no_reference"


@pytest.mark.parametrize("make", [answer_match, contain_match, numeric_match])
def test_match_scorers_are_unscored_for_unanswerable_questions_and_summaries(
    make: Callable[[], Scorer],
) -> None:
    notes = ("NOT IN DOCUMENTS", "N/A", "not_answerable", "The filing does not say.")
    cases = [("Not found.", note) for note in notes]
    scores = answered(make(), cases, question_type="unanswerable")
    assert [score.reason for score in scores] == ["unanswerable"] * 4
    cases = [("Revenue rose.", "Revenue was $5 million. Costs fell."), ("", "Sales rose 7%.")]
    for style in ("summary", "earnings_call", "query_focused"):
        scores = answered(make(), cases, style=style)
        assert [score.reason for score in scores] == ["not_a_question"] * 2


@pytest.mark.parametrize("style", ["qa", "essay"])  # the second is unknown to this package
def test_answer_match_scores_samples_that_are_no_known_summaries(style: str) -> None:
    (score,) = answered(answer_match(), [("It is $5 million.", "$5 million")], style=style)
    assert score.value == 1.0


def test_answer_match_scores_unanswerable_question_with_gold_answer() -> None:
    cases = [("It is $5 million.", "$5 million"), ("Not found.", "$5 million")]
    scores = answered(answer_match(), cases, question_type="unanswerable")
    assert [score.value for score in scores] == [1, 0]


def test_answer_match_is_primary_over_numeric_and_contain_match() -> None:
    names = ("numeric_match", "contain_match", "answer_match")
    assert primary_of(["qa"], [MEASURES[name] for name in names]) == ("answer_match",)
