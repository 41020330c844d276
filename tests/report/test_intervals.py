"""One interval in the log and in the report: within the scale, with width where values differ."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.scorer import SampleScore, Score

from arag_inspect.report import frames, make_report
from arag_inspect.scorers import contain_match, geval_coverage, rouge
from arag_inspect.scorers._metrics import ci
from arag_inspect.stats.estimates import Estimate
from tests.report import material as m
from tests.scripted import run, scripted, speak, tagged


def _answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
    return speak("Sales rose." if messages[-1].text.endswith("0") else "The weather was fine.", 1)


def _grade(messages: list[ChatMessage], *_: Any) -> ModelOutput:
    if "Write exactly five criteria" in messages[0].text:
        rest = {"checks": "c", "low": "l", "middle": "m", "high": "h"}
        return speak(json.dumps({"criteria": [{"name": f"n{n}", **rest} for n in range(5)]}), 1)
    return speak(tagged("VERDICT: 10", messages), 1)


def test_log_and_report_have_the_same_interval(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 30 samples every company has the same third right, and all grades are the best."""
    monkeypatch.setenv("ARAG_CACHE", str(logs / "cache"))
    samples = [
        Sample(input=f"{n // 3} {n % 3}", target="Sales rose.", metadata={"company": f"C{n // 3}"})
        for n in range(30)
    ]
    scorers = [contain_match(), rouge(), geval_coverage(scale=(0, 10))]
    log = run(
        Task(dataset=samples, scorer=scorers),
        scripted(_answer),
        model_roles={"grader": scripted(_grade)},
    )
    assert log.status == "success" and log.results
    in_log = {
        score.name: [
            score.metrics[name].value for name in score.metrics if name.endswith(("lower", "upper"))
        ]
        for score in log.results.scores
    }
    (report,) = make_report(frames(log.location)).benchmarks
    for key, (low, high) in {
        "contain_match": (0.174, 0.543),
        "rouge.rouge2": (0.174, 0.543),
        "geval_coverage": (6.615, 10),
    }.items():
        estimate = report.benchmark.estimate(report.benchmark.systems[0], key)
        assert estimate is not None
        assert in_log[key.split(".")[-1]] == pytest.approx(estimate[1:3])
        assert estimate[1:3] == pytest.approx((low, high), abs=0.01), key


@pytest.mark.parametrize(
    "values, bounds",
    [
        ([0.0, 0.0, 0.0, 1.0], {"low": 0, "high": 1}),
        ([1, 5, 5, 5], {"graded": True}),
        ([0.001, 9.0, 0.001, 0.002], {"low": 0}),
    ],
)
def test_no_end_leaves_the_scale(values: list[float], bounds: Mapping[str, Any]) -> None:
    scores: list[Any] = [SampleScore(score=Score(value=value)) for value in values]
    ends: Any = ci(**bounds)(scores)
    least, most = bounds.get("low", 1), bounds.get("high", 5 if "graded" in bounds else 99)
    assert least <= ends["lower"] < ends["upper"] <= most


def test_nor_does_a_difference(tmp_path: Path) -> None:
    """Two systems that are apart by the whole scale on all samples but one."""
    folder = m.write(
        tmp_path,
        m.run_of("arag", lambda n: {"rouge": m.scored({"rouge2": float(n > 0)})}),
        m.run_of("stuffing", lambda n: {"rouge": m.scored({"rouge2": 0.0})}),
    )
    ((pair,),) = (part.comparisons for part in make_report(frames(folder)).benchmarks)
    assert pair.paired.low is not None and pair.paired.high == 1
    table = make_report(frames(folder)).benchmarks[0].table("headline")
    assert table and all(
        isinstance(cell, Estimate) and cell.high is not None and cell.high <= 1
        for row in table.rows
        for cell in row[2:4]
    )
