"""Tests of finding gold answers in answers, against hand-computed values."""

import json
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import Score

from arag_inspect.scorers import contain_match
from tests.logs import scores_of
from tests.measures.cases import answered
from tests.scripted import run, scripted, speak
from tests.tables import tables_beside

pytestmark = pytest.mark.usefixtures("logs")


def scored(*cases: tuple[str | list[str], str]) -> list[Score]:
    """Return the scores of (gold, answer) pairs from one run."""
    return answered(contain_match(), [(answer, gold) for gold, answer in cases])


CASES = tables_beside(__file__)

NO_GOLD = ["", "  ", "\u2014", "$"]
ALTERNATIVES = ["14", "15", "fifteen"]


def test_contain_match_finds_gold_answers_in_answers() -> None:
    cases = [tuple(case) for kind in ("contained", "not contained") for case in CASES[kind]]
    expected = [1] * len(CASES["contained"]) + [0] * len(CASES["not contained"])
    bare = [(gold, "something $ \u2014") for gold in NO_GOLD]
    several = [(ALTERNATIVES, f"It was {number}.") for number in (15, 16)]
    *scores, match, miss = scored(*cases, *bare, *several)
    values = [score.value for score in scores[: len(cases)]]
    assert [c for c, v, e in zip(cases, values, expected, strict=True) if v != e] == []
    for score in scores[len(cases) :]:  # without a gold answer
        assert score.value != score.value and score.reason == "no_reference"
    assert (match.value, miss.value) == (1, 0)
    assert match.metadata and match.metadata["matched"] == ["15"]
    assert miss.metadata and miss.metadata["matched"] == []
    assert match.metadata["signature"].startswith("contain_match|arag-inspect:")


def test_contain_match_accepts_numeric_targets(tmp_path: Path) -> None:
    lines = [
        {"input": "a", "target": 1577},
        {"input": "b", "target": 8.7},
        {"input": "c", "target": 24.0},
    ]
    (tmp_path / "d.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    answers = {"a": "$1,577.0 million", "b": "8.70%", "c": "all 24 of them"}
    log = run(
        Task(dataset=json_dataset(str(tmp_path / "d.jsonl")), scorer=contain_match()),
        scripted(lambda messages, *_: speak(answers[messages[-1].text], 1)),
    )
    assert log.samples and [scores_of(s)["contain_match"].value for s in log.samples] == [1] * 3
