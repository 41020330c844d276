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

pytestmark = pytest.mark.usefixtures("logs")


def scored(*cases: tuple[str | list[str], str]) -> list[Score]:
    """Return the scores of (gold, answer) pairs from one run."""
    return answered(contain_match(), [(answer, gold) for gold, answer in cases])


CONTAINED = [
    ("Apple", "It was apple, of course."),
    ("year-over-year growth", "Strong   year over\nyear GROWTH!"),
    ("U.S.", "Sales in the US rose"),
    ("the US", "in the U.S. business"),
    ("12", "It was 12."),
    ("12", "between 10-12 stores"),
    ("12", "**12**"),
    ("12", "twelve (12) stores"),
    ("(5)", "-5"),
    ("(5)", "It changed by (5)."),
    ("-5", "(5)"),
    ("-5", "It changed by (5)."),
    ("-5 million", "$(5) million"),
    ("$(5) million", "a loss of ($5 million)"),
    ("$(1,234)", "-1234"),
    ("(5.3%)", "\u20135.3%"),
    ("-5.3%", "(5.3)%"),
    ("5 million (3%)", "It was $5 million, or 3%: 5 million, 3%."),
    ("1577", "$1,577.00 million"),
    ("$1,577.00", "It spent 1577 on it"),
    ("US$5", "five, that is 5, dollars"),
    ("8.70", "€8.7 billion"),
    ("0.5", "grew by .5 points"),
    ("1,234,567", "1 234 567 and 1'234'567".replace(" ", "\u202f", 2)),
    ("12%", "up 12 per cent"),
    ("12 per cent", "up 12%."),
    ("12 percent", "up 12 pct"),
    ("7%", "in the range of 5%-7%"),
    ("-5%", "moved by \u22125.0%"),
    ("-$5", "moved by $-5"),
    ("Yes", "Yes, it did."),
    ("3M", "3M's margin"),
    ("$4.2bn", "about 4.2BN"),
    ("$4.2 billion", "It was $4.2¹ billion"),
    ("$4.2¹ billion", "It was $4.2 billion"),
    ("12%", "It was 12³%"),
    ("4.5%", "It paid 4½%"),
    ("宁波", "公司总部位于宁波市。"),
    ("東京", "本社は東京にあります"),
    ("12亿元", "收入为12亿元"),
    ("No", "No, and no doubt about it."),
    ("yes", "Yes: no other view is possible."),
]

NOT_CONTAINED = [
    ("4.21", "It was $4.2¹ billion"),
    ("41", "It paid 4½%"),
    ("12", "收入为12亿元"),
    ("宁市", "公司总部位于宁波市。"),
    ("No", "There is no doubt that it rose."),
    ("No", "It was no later than May."),
    ("no", "It is no. 1 in pumps."),
    ("no", "Yes. There was no loss."),
    ("12", "112"),
    ("12", "12.5"),
    ("12", "3.12"),
    ("12", "120"),
    ("12", "$12,000"),
    ("12", "1,012"),
    ("12", "12m"),
    ("12", "-12"),
    ("-12", "12"),
    ("(5)", "5"),
    ("(5)", "$5 million"),
    ("$(5) million", "$5 million"),
    ("5", "(5)"),
    ("5", "**$(5)**"),
    ("5%", "a change of (5)%"),
    ("5", "2015"),
    ("5", "0.5"),
    ("-1", "sold(1) in all"),
    ("12", "version 1.12.3"),
    ("2.5", "12.5"),
    ("2.5", "2.51"),
    ("4.2", "$4.2bn"),
    ("12%", "12 stores"),
    ("12 million", "12 billion"),
    ("12", ""),
    ("No", "That is not known now."),
    ("net income", "income, net"),
    ("U.S.", "use of it"),
]


NO_GOLD = ["", "  ", "\u2014", "$"]
ALTERNATIVES = ["14", "15", "fifteen"]


def test_contain_match_finds_gold_answers_in_answers() -> None:
    cases: list[tuple[str | list[str], str]] = [*CONTAINED, *NOT_CONTAINED]
    expected = [1] * len(CONTAINED) + [0] * len(NOT_CONTAINED)
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
