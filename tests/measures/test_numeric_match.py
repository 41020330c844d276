"""Tests of numbers in answers against expected values, computed by hand."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
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

CHANGE = "what is the percent change?"
DECREASE = "by what percentage did revenue decrease?"
RIGHT: list[tuple[Any, str, str, str]] = [
    # executed value, gold answer, question, answer
    (0.13242, "13.2%", CHANGE, "13.2%"),
    (0.13242, "13%", CHANGE, "It was 13%."),
    (0.13242, "13.2%", CHANGE, "13.24"),
    (0.13242, "13.2%", CHANGE, "0.1324"),
    (13.242, "13.2%", CHANGE, "13.2%"),
    (13.242, "13.2%", CHANGE, "0.1324"),
    (0.13242, "", CHANGE, "13.2%"),
    (0.13242, "", CHANGE, "13.2"),
    (0.13242, "0.132", "what is the ratio?", "13.2%"),
    (None, "0.65", "what is the debt-to-equity ratio?", "0.65 to 1"),
    (None, "2.4 to 1", "what is the current ratio?", "The ratio is 2.4."),
    (0.00012, "0.01%", CHANGE, "0.012%"),
    (127.4, "127.40", "what is the average?", "637 / 5 = 127.4"),
    (3.8, "$ 3.8 million", "what is the total?", "$3.8 million"),
    (3.8, "$ 3.8 million", "what is the total?", "3,800,000"),
    (3.8, "3.8", "what is the total?", "$3.8 billion"),
    (3800, "3800", "what is the total?", "$3.8 million"),
    (3800, "3800", "what is the total in millions?", "$3.8 billion"),
    (-0.05, "-5%", CHANGE, "It decreased by 5%."),
    (-0.05, "-5%", CHANGE, "-5.0%"),
    (-3.2, "-3.2", "what is the change?", "(3.2)"),
    (0.05, "5%", "what was the percentage decrease?", "-5%"),
    (0.05, "5%", CHANGE, "Revenue rose from 100 to 105, or 5%."),
    (0.05, "5%", CHANGE, "Revenue rose 5% from $100 million in 2014 to $105 million in 2015."),
    (1.2, "1.2", "by how much?", "120 basis points"),
    (120.0, "120", "by how many basis points?", "120 basis points"),
    (120.0, "120", "by how many basis points?", "1.2 percentage points"),
    (2012.0, "2012", "in which year?", "It was 2012."),
    (0.0, "0", "how many?", "0"),
    (94.0, "94", "what is the total?", "The total of 31, 63, 5, 6 and 7 is **94**."),
    (94.0, "94", "what is the total?", "We add 50 and 44.\n\nAnswer: 94"),
    (94.0, "94", "what is the total?", "So it is \\boxed{94}"),
    (
        0.66,
        "",
        "what is the ratio?",
        "Cash was $1,469 and debt $2,213. Therefore it is 1,469 / 2,213 = 0.66.",
    ),
    (
        5818,
        "",
        "in millions?",
        "Thus it was $5,818 million. I took $19,815 million less $13,997 million.",
    ),
    (
        0.042,
        "",
        CHANGE,
        "We divide 167 by 3,991.\n\nSo the margin is 4.19%.\n\nNote that 2 of 3 rose.",
    ),
    (None, "0.4", "how much, in billions?", "They paid $389 million."),
    ("yes", "yes", "did it fall?", "Yes, from 50 to 40."),
    ("no", "no", "did it fall?", "**No**"),
    (None, "$1,577.00", "what was capex?", "$1577 million"),
    (None, "4,120", "how many?", "Four thousand one hundred twenty."),
    (None, "4,120", "how many?", "They have four thousand, one hundred and twenty stores."),
    (None, "1,005", "how many?", "A thousand and five."),
    (None, "2,000", "how many?", "Between one thousand and two thousand, namely two thousand."),
    (None, "25", "how many?", "Twenty-five."),
    (None, "8.7%", "what is the rate?", "0.087"),
    (None, "Yes.", "did it fall?", "It did: yes."),
    ("yes", "yes", "did it fall?", "No doubt: yes."),
    (5.0, "5", "how many?", "It was not 4 but 5."),
    (5.0, "5", "how many?", "It was not less than 5."),
    (float("inf"), "5", "how many?", "5"),
    (float("nan"), "5", "how many?", "5"),
    (10**400, "5", "how many?", "5"),
    (2007.0, "2007", "in what year did it end?", "It ended in 2007, not before 2006."),
    (2007.0, "2,007", "what is the total?", "2010"),
    (2007.0, "$2007", "what is the total?", "2010"),
    (2007.0, "2007", "what is the total in millions?", "2010"),
    (2007.0, "2007", "what is the total?", "$2,010"),
    (0.1, "10%", DECREASE, "It decreased by 10%."),
    (0.1, "10%", DECREASE, "-10%"),
    (-0.1, "-10%", DECREASE, "10%"),
    (0.1, "10%", "what was the change in net loss?", "The net loss increased 10%."),
    (0.1, "10%", "did it increase or decrease, and by what percentage?", "increased 10%"),
    (0.236, "23.6", "what was the growth rate?", "23.6"),
    (0.236, "23.6", "what was the growth rate?", "23.6%"),
    (0.236, "23.6", "what was the growth rate?", "0.236"),
    (-0.053, "-5.3%", CHANGE, "(5.3%)"),
    (-0.053, "-5.3%", CHANGE, "It was (5.3%)."),
    (-0.053, "-5.3%", CHANGE, "\u20135.3%"),
    (-0.053, "-5.3%", CHANGE, "\u22125.3%"),
    (-5.0, "-5", "what is the net change in millions?", "$(5) million"),
    (-5.3, "-5.3", "what is the net change in millions?", "It was $(5.3) million."),
    (None, "(5)", "what is the change?", "-5"),
    (None, "(5)", "what is the change?", "Answer: (5)"),
    (None, "$(5.3) million", "what is the change?", "-$5,300 thousand"),
]
WRONG: list[tuple[Any, str, str, str]] = [
    (0.13242, "13.2%", CHANGE, "0.132%"),
    (0.13242, "13.2%", CHANGE, "13.7%"),
    (0.13242, "13.2%", CHANGE, "1.324%"),
    (0.13242, "0.132", "what is the ratio?", "13.2"),
    (3.8, "$ 3.8 million", "what is the total?", "$3.8 billion"),
    (3800, "3800", "what is the total?", "3.8"),
    (3800, "3800", "what is the total in millions?", "$3.8 million"),
    (-0.05, "-5%", CHANGE, "5%"),
    (-0.05, "-5%", CHANGE, "an increase of 5%"),
    (0.05, "5%", CHANGE, "-5%"),
    (0.05, "5%", CHANGE, "It decreased by 5%."),
    (5.0, "5", "how many?", "It was 2012."),
    (5.0, "5", "how many?", "It could be 1, 2, 3, 4 or 5."),
    (5.0, "5", "how many?", "From 5 to 6."),
    (0.66, "", "what is the ratio?", "It was 0.66 or so.\n\nAnswer: 0.71"),
    (7, "", "how many?", "We count 3. Of these 7 are new. So there are 4."),
    (None, "40", "how much, in billions?", "They paid $39.5 billion."),
    (5.0, "5", "how many?", "I do not know."),
    (5.0, "5", "how many?", ""),
    ("yes", "yes", "did it fall?", "No, although some say yes."),
    ("yes", "yes", "did it fall?", "It fell."),
    ("yes", "yes", "did it fall?", "Yes and no."),
    ("yes", "yes", "did it fall?", "Yes/no"),
    (float("inf"), "5", "how many?", "6"),
    (400, "400", "in millions?", "The answer is not 400 million."),
    (0.05, "5%", CHANGE, "It did not increase by 5%."),
    (0.05, "5%", CHANGE, "It isn't 5%."),
    (0.05, "5%", CHANGE, "It is not true that it rose 5%."),
    (2007.0, "2007", "in what year did it end?", "2017"),
    (2007.0, "", "in what year did it end?", "2008"),
    (None, "2007", "in what year did it end?", "It ended in 2006."),
    (2007.0, "2007", "in what year did it end?", "about 2010"),
    (0.1, "10%", DECREASE, "increased 10%"),
    (0.1, "10%", DECREASE, "It rose by 10%."),
    (-0.1, "-10%", DECREASE, "It grew 10%."),
    (0.236, "23.6", "what was the growth rate?", "0.236%"),
    (0.053, "5.3%", CHANGE, "(5.3%)"),
    (0.053, "5.3%", CHANGE, "\u20135.3%"),
    (5.0, "5", "what is the net change in millions?", "$(5) million"),
    (5.0, "5", "what is the total?", "(5)"),
    (None, "(5)", "what is the change?", "5"),
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


@pytest.fixture(scope="module")
def all_scores(tmp_path_factory: pytest.TempPathFactory) -> list[Score]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("numbers"))
        return scored([*RIGHT, *WRONG, (None, "It is unclear.", "why?", "Because.")])


CASES = yaml.safe_load(Path(__file__).with_name("numeric_match.yaml").read_text())


@pytest.mark.parametrize(
    ("question", "gold", "answer", "right"),
    [
        pytest.param(*case, id=f"{kind}-{number}")
        for kind, cases in CASES.items()
        for number, case in enumerate(cases, start=1)
    ],
)
def test_match_answer_decides_each_case(question: str, gold: str, answer: str, right: bool) -> None:
    expected = read_gold(str(gold), question)
    assert expected is not None
    assert match_answer(str(answer), expected, tolerance=0.01, among=4).matched == right


def test_numeric_match_scores_right_and_wrong_answers(all_scores: list[Score]) -> None:
    values = [score.value for score in all_scores]
    assert [c for c, v in zip(RIGHT, values[: len(RIGHT)], strict=True) if v != 1] == []
    assert [c for c, v in zip(WRONG, values[len(RIGHT) : -1], strict=True) if v != 0] == []


def test_numeric_match_explains_every_decision(all_scores: list[Score]) -> None:
    assert all(score.explanation for score in all_scores)
    by_answer = {score.answer: score for score in all_scores}
    assert by_answer["an increase of 5%"].explanation == (
        "Expected -0.05; the answer gives a rise of 5%."
    )
    fraction = by_answer["It was 13%."]
    assert fraction.explanation == "13% is 0.13242."
    assert fraction.metadata and fraction.metadata["given"] == "13%"
    assert fraction.metadata["signature"].startswith(
        "numeric_match|among:4|rules:16|tolerance:0.01"
    )
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
    match = match_answer(answer, gold, tolerance=0.01, among=4)
    assert (match.matched, match.given) == (False, given)


@pytest.mark.parametrize(
    ("question", "gold", "answer", "reason"),
    [
        (
            "By how much did orders decline?",
            "12%",
            "Orders rose 12%.",
            "Expected a fall of 12; the answer gives a rise of 12%.",
        ),
        (
            "What was the change in orders?",
            "12%",
            "Orders fell 12%.",
            "Expected a rise of 12; the answer gives a fall of 12%.",
        ),
        (
            "What was net income?",
            "$23 million",
            "It was a net loss of $23 million.",
            "Expected 23; the answer gives minus $23 million.",
        ),
        (
            "By how many basis points did it fall?",
            "650",
            "It fell 65 basis points.",
            "Expected 650 basis points; the answer gives 65 basis points.",
        ),
        (
            "What was capex in 2023?",
            "$5 million",
            "It was $5 million in 2022.",
            "$5 million is 5, but the answer gives it for 2022.",
        ),
        (
            "What is the outlook?",
            "$840 million to $860 million",
            "It is about $850 million.",
            "Expected $840 million to $860 million; the answer gives $850 million.",
        ),
        (
            "What is the outlook?",
            "$850 million",
            "It is $840 million to $860 million.",
            "Expected 850; the answer gives $840 million to $860 million.",
        ),
    ],
)
def test_numeric_match_shows_sign_direction_year_or_range_that_decides(
    question: str, gold: str, answer: str, reason: str
) -> None:
    (score,) = scored([(None, gold, question, answer)])
    assert score.explanation == reason


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("$840 million to $860 million", "$840 million to $860 million"),
        ("650 basis points", "650 basis points"),
        ("$850 million", 850.0),
    ],
)
def test_numeric_match_expects_in_metadata_what_it_explains(
    gold: str, expected: str | float
) -> None:
    (score,) = scored([(None, gold, "What is the outlook?", "It is 7%.")])
    assert score.metadata and score.metadata["expected"] == [expected]
    shown = f"{expected:g}" if isinstance(expected, float) else expected
    assert score.explanation == f"Expected {shown}; the answer gives 7%."


_ASKED = "By how much did orders decline?"
_TEXT = "Revenue rose 4% in 2021 (in millions). Orders declined 12%."


@pytest.mark.parametrize("make", [numeric_match, answer_match])
def test_match_scorers_give_number_unit_of_question(make: Callable[[], Scorer]) -> None:
    sample = Sample(input="By how many basis points did the margin change?", target="-650")
    task = Task(dataset=[sample], scorer=make())
    log = run(task, scripted(lambda *_: speak("It fell 6.5 percentage points.", 1)))
    assert log.samples
    (score,) = scores_of(log.samples[0]).values()
    assert score.value == 1, score.explanation


@pytest.mark.parametrize("make", [numeric_match, answer_match])
@pytest.mark.parametrize(
    ("messages", "metadata"),
    [
        ([_ASKED], {}),
        ([f"{_ASKED}\n\n{_TEXT}"], {}),
        ([f"{_TEXT}\n\nQuestion: {_ASKED}\nAnswer in one sentence."], {}),
        ([f"<document>\n{_TEXT}\n</document>\n{_ASKED}"], {}),
        ([_TEXT, _ASKED], {}),
        ([f"{_ASKED}\n\n{_TEXT}\n\nDid revenue rise?"], {"question": _ASKED}),
    ],
)
def test_match_scorers_read_question_without_text_beside_it(
    make: Callable[[], Scorer], messages: list[str], metadata: dict[str, str]
) -> None:
    sample = Sample(
        input=[ChatMessageUser(content=message) for message in messages],
        target="12%",
        metadata=metadata,
    )
    log = run(
        Task(dataset=[sample], scorer=make()), scripted(lambda *_: speak("They declined 12%.", 1))
    )
    assert log.samples
    (score,) = scores_of(log.samples[0]).values()
    assert score.value == 1, score.explanation


@settings(max_examples=50)
@given(st.floats(0.01, 1e6), st.integers(2, 6))
def test_number_matches_itself_in_any_notation_but_not_others(value: float, digits: int) -> None:
    value = float(f"{value:.{digits}g}")
    expected = read_gold("", "how much?", value)
    assert expected is not None
    for text in (f"{value:f}", f"${value:,.6f}", f"It was {value:,.6f} in all."):
        assert match_answer(text, expected, 0.01, 4).matched
    for text in (f"{value * 1.05:f}", f"-{value:f}", f"{value * 100:f}"):
        assert not match_answer(text, expected, 0.01, 4).matched


def test_real_gold_answers_match_themselves_but_not_with_changed_digit() -> None:
    path = SHARED_DATA / "financebench" / "data" / "financebench_open_source.jsonl"
    if not path.exists():
        pytest.skip("no copy of FinanceBench beside the repository")
    read = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        gold, question = (str(json.loads(line)[key]) for key in ("answer", "question"))
        if (expected := read_gold(gold, question)) is None:
            continue
        read += 1
        for answer in (gold, f"I read the filing. {gold.rstrip('. ')}. It says so."):
            assert match_answer(answer, expected, 0.01, 4).matched, answer
        for digit in re.finditer(r"\d", gold):
            other = gold[: digit.start()] + str((int(digit[0]) + 4) % 10) + gold[digit.end() :]
            assert not match_answer(other, expected, 0.01, 4).matched, other
    assert read > 120
