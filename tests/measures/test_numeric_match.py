"""Tests of numbers in answers against expected values, computed by hand."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Score, Scorer

from arag_inspect.figures.answers.gold import read_gold
from arag_inspect.figures.answers.match import match_answer
from arag_inspect.scorers import answer_match, numeric_match
from tests.conftest import SHARED_DATA
from tests.logs import scores_of
from tests.scripted import run, scripted, speak
from tests.tables import tables_beside

CHANGE = "what is the percent change?"
SCORED: list[tuple[Any, str, str, str, bool]] = [
    # executed value, gold answer, question, answer, right
    (0.13242, "13%", CHANGE, "It was 13%.", True),
    (-0.05, "-5%", CHANGE, "an increase of 5%", False),
    ("yes", "yes", "did it fall?", "Yes, from 50 to 40.", True),
    ("yes", "yes", "did it fall?", "No, although some say yes.", False),
    (float("inf"), "5", "how many?", "5", True),
    (float("inf"), "5", "how many?", "6", False),
    (float("nan"), "5", "how many?", "5", True),
    (10**400, "5", "how many?", "5", True),
]


def scored(cases: list[tuple[Any, str, str, str]]) -> list[Score]:
    samples = [
        Sample(id=number, input=f"{question} #{number}", target=gold, metadata={"exe_ans": value})
        for number, (value, gold, question, _) in enumerate(cases)
    ]

    def answer(messages: Any, *_: Any) -> Any:
        return speak(cases[int(messages[-1].text.partition("#")[2])][3], 1)

    log = run(Task(dataset=samples, scorer=numeric_match()), scripted(answer))
    assert log.status == "success" and log.samples
    return [scores_of(s)["numeric_match"] for s in sorted(log.samples, key=lambda s: int(s.id))]


def _values(scorer: Scorer, samples: list[Sample], answer: str) -> list[Any]:
    """Return the values of samples that all have one answer."""
    log = run(Task(dataset=samples, scorer=scorer), scripted(lambda *_: speak(answer, 1)))
    assert log.status == "success" and log.samples
    return [next(iter(scores_of(sample).values())).value for sample in log.samples]


@pytest.fixture(scope="module")
def all_scores(tmp_path_factory: pytest.TempPathFactory) -> list[Score]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("numbers"))
        return scored([row[:4] for row in SCORED] + [(None, "It is unclear.", "why?", "Because.")])


CASES = tables_beside(__file__)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{kind}-{number}")
        for kind, cases in CASES.items()
        for number, case in enumerate(cases, start=1)
    ],
)
def test_match_answer_decides_each_case(case: list[Any]) -> None:
    question, gold, answer, right, *executed = case
    expected = read_gold(str(gold), question, *map(float, executed))
    assert expected is not None
    assert match_answer(str(answer), expected, tolerance=0.01).matched == right


def test_numeric_match_scores_right_and_wrong_answers(all_scores: list[Score]) -> None:
    values = [score.value for score in all_scores[:-1]]
    assert values == [float(right) for *_, right in SCORED]


def test_numeric_match_explains_every_decision(all_scores: list[Score]) -> None:
    assert all(score.explanation for score in all_scores)
    by_answer = {score.answer: score for score in all_scores}
    assert by_answer["an increase of 5%"].explanation == (
        "Expected -5%; the answer gives a rise of 5%."
    )
    fraction = by_answer["It was 13%."]
    assert fraction.explanation == "13% is 0.13242."
    assert fraction.metadata and fraction.metadata["given"] == "13%"
    assert fraction.metadata["signature"].startswith("numeric_match|rules:20|tolerance:0.01")
    assert all_scores[-1].reason == "no_reference"


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ("It was $6 million.", "$6 million"),
        ("It was $5 million or $6 million.", "$5 million"),
        ("It was 1, 2, 3, 4, 5 or 6.", "1, 2, 3, 4, 5"),
        ("I do not know.", None),
    ],
)
def test_wrong_answer_names_its_figure(answer: str, given: str | None) -> None:
    gold = read_gold("$5 million", "What was the profit?")
    assert gold is not None
    match = match_answer(answer, gold, tolerance=0.01)
    assert (match.matched, match.given) == (False, given)


EXPLAINED = [
    ("By how much did orders decline?", "12%", "Orders rose 12%.",
     "Expected a fall of 12%; the answer gives a rise of 12%."),
    ("What was the change in orders?", "12%", "Orders fell 12%.",
     "Expected a rise of 12%; the answer gives a fall of 12%."),
    ("What was net income?", "$23 million", "It was a net loss of $23 million.",
     "Expected $23 million; the answer gives minus $23 million."),
    ("What was revenue?", "$4.2 billion", "Revenue was $4.2 million.",
     "Expected $4.2 billion; the answer gives $4.2 million."),
    ("What was the margin?", "7%", "The margin was 7 million.",
     "Expected 7%; the answer gives 7 million."),
    ("What was the net result?", "A net loss of $87 million", "A net profit of $87 million.",
     "Expected minus $87 million; the answer gives $87 million."),
    ("By how many basis points did it fall?", "650", "It fell 65 basis points.",
     "Expected 650 basis points; the answer gives 65 basis points."),
    ("What was capex in 2023?", "$5 million", "It was $5 million in 2022.",
     "$5 million is 5, but the answer gives it for 2022."),
    ("What is the outlook?", "$840 million to $860 million", "It is about $850 million.",
     "Expected $840 million to $860 million; the answer gives $850 million."),
    ("What is the outlook?", "$850 million", "It is $840 million to $860 million.",
     "Expected 850; the answer gives $840 million to $860 million."),
]  # fmt: skip
"""Questions, gold answers, answers and explanations."""


def test_numeric_match_shows_attribute_that_decides() -> None:
    scores = scored([(None, gold, question, answer) for question, gold, answer, _ in EXPLAINED])
    assert [score.explanation for score in scores] == [reason for *_, reason in EXPLAINED]


def test_numeric_match_expects_in_metadata_what_it_explains() -> None:
    golds = {
        "$840 million to $860 million": "$840 million to $860 million",
        "650 basis points": "650 basis points",
        "$850 million": 850.0,
    }
    scores = scored([(None, gold, "What is the outlook?", "It is 7%.") for gold in golds])
    for score, expected in zip(scores, golds.values(), strict=True):
        assert score.metadata and score.metadata["expected"] == [expected]
        shown = f"{expected:g}" if isinstance(expected, float) else expected
        assert score.explanation == f"Expected {shown}; the answer gives 7%."


_ASKED = "By how much did orders decline?"
_TEXT = "Revenue rose 4% in 2021 (in millions). Orders declined 12%."


@pytest.mark.parametrize("make", [numeric_match, answer_match])
def test_match_scorers_give_number_unit_of_question(make: Callable[[], Scorer]) -> None:
    question = "By how many basis points did the margin change?"
    assert _values(make(), [Sample(question, target="-650")], "It fell 6.5 percentage points.") == [
        1
    ]


ASKED: list[tuple[list[str], dict[str, str]]] = [
    ([_ASKED], {}),
    ([f"{_ASKED}\n\n{_TEXT}"], {}),
    ([f"{_TEXT}\n\nQuestion: {_ASKED}\nAnswer in one sentence."], {}),
    ([f"<document>\n{_TEXT}\n</document>\n{_ASKED}"], {}),
    ([_TEXT, _ASKED], {}),
    ([f"{_ASKED}\n\n{_TEXT}\n\nDid revenue rise?"], {"question": _ASKED}),
]
"""Messages and metadata of a sample."""


@pytest.mark.parametrize("make", [numeric_match, answer_match])
def test_match_scorers_read_question_without_text_beside_it(make: Callable[[], Scorer]) -> None:
    samples = [
        Sample([ChatMessageUser(content=text) for text in texts], target="12%", metadata=metadata)
        for texts, metadata in ASKED
    ]
    assert _values(make(), samples, "They declined 12%.") == [1] * len(ASKED)


@settings(max_examples=50)
@given(st.floats(0.01, 1e6), st.integers(2, 6))
def test_number_matches_itself_in_any_notation_but_not_others(value: float, digits: int) -> None:
    value = float(f"{value:.{digits}g}")
    expected = read_gold("", "how much?", value)
    assert expected is not None
    for text in (f"{value:f}", f"${value:,.6f}", f"It was {value:,.6f} in all."):
        assert match_answer(text, expected, 0.01).matched
    for text in (f"{value * 1.05:f}", f"-{value:f}", f"{value * 100:f}"):
        assert not match_answer(text, expected, 0.01).matched


def test_real_gold_answers_match_themselves_but_not_with_changed_digit() -> None:
    path = SHARED_DATA / "financebench" / "data" / "financebench_open_source.jsonl"
    if not path.exists():
        pytest.skip("no copy of FinanceBench beside the repository")
    count = 0
    for line in path.read_text(encoding="utf-8").splitlines()[::3]:
        gold, question = (str(json.loads(line)[key]) for key in ("answer", "question"))
        if (expected := read_gold(gold, question)) is None:
            continue
        count += 1
        for answer in (gold, f"I read the filing. {gold.rstrip('. ')}. It says so."):
            assert match_answer(answer, expected, 0.01).matched, answer
        for digit in re.finditer(r"\d", gold):
            other = gold[: digit.start()] + str((int(digit[0]) + 4) % 10) + gold[digit.end() :]
            assert not match_answer(other, expected, 0.01).matched, other
    assert count > 40
