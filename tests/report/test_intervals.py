"""Tests of intervals: equal in log and report, within the scale, and ties within rounding."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.scorer import SampleScore, Score

from arag_inspect.measures.metrics import lower, upper
from arag_inspect.report import frames, studies
from arag_inspect.report.comparison.before_after import pair_runs
from arag_inspect.report.comparison.examples import choose_examples
from arag_inspect.report.comparison.means import mean_of_measure
from arag_inspect.report.criterion import Criterion
from arag_inspect.report.page.data import study_data
from arag_inspect.report.study import Choices
from arag_inspect.run.gate.gate import gate
from arag_inspect.run.gate.rules import read_rules
from arag_inspect.scorers import contain_match, geval_coverage
from arag_inspect.stats.estimates import Estimate
from tests.logs import metrics_of
from tests.report import material as m
from tests.scripted import graded, run, scripted, speak, tagged


def _answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
    return speak("Sales rose." if messages[-1].text.endswith("0") else "The weather was fine.", 1)


def _grade(messages: list[ChatMessage], *_: Any) -> ModelOutput:
    if "Write exactly five criteria" in messages[0].text:
        rest = {"checks": "c", "low": "l", "middle": "m", "high": "h"}
        return speak(json.dumps({"criteria": [{"name": f"n{n}", **rest} for n in range(5)]}), 1)
    return speak(tagged(graded(10, messages[0].text), messages), 1)


def test_log_and_report_have_same_interval(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On 30 samples, the same third is right in every company, and all grades are maximal."""
    monkeypatch.setenv("ARAG_CACHE", str(logs / "cache"))
    samples = [
        Sample(input=f"{n // 3} {n % 3}", target="Sales rose.", metadata={"company": f"C{n // 3}"})
        for n in range(30)
    ]
    scorers = [contain_match(), geval_coverage(scale=(0, 10))]
    log = run(
        Task(dataset=samples, scorer=scorers),
        scripted(_answer),
        model_roles={"grader": scripted(_grade)},
    )
    assert log.status == "success"
    report = m.report_on(frames(log.location))
    for key, (low, high) in {
        "contain_match": (0.174, 0.543),
        "geval_coverage": (6.615, 10),
    }.items():
        estimate = mean_of_measure(report.study, report.study.systems[0], key)
        assert estimate is not None
        interval = estimate.low, estimate.high
        metrics = metrics_of(log, key)
        assert (metrics["lower"], metrics["upper"]) == pytest.approx(interval)
        assert interval == pytest.approx((low, high), abs=0.01), key


@pytest.mark.parametrize(
    "values, bounds",
    [
        ([0.0, 0.0, 0.0, 1.0], {"low": 0, "high": 1}),
        ([1, 5, 5, 5], {"graded": True}),
        ([0.001, 9.0, 0.001, 0.002], {"low": 0}),
    ],
)
def test_interval_ends_stay_within_scale(values: list[float], bounds: Mapping[str, Any]) -> None:
    scores: list[Any] = [SampleScore(score=Score(value=value)) for value in values]
    ends: Any = [metric(**bounds)(scores) for metric in (lower, upper)]
    lowest, most = bounds.get("low", 1), bounds.get("high", 5 if "graded" in bounds else 99)
    assert lowest <= ends[0] < ends[1] <= most


def test_interval_of_difference_stays_within_scale(tmp_path: Path) -> None:
    """Two systems differ by the whole scale on all samples but one."""
    folder = m.write(
        tmp_path,
        m.run_of("arag", lambda n: {"rouge": m.scored({"rouge2": float(n > 0)})}),
        m.run_of("stuffing", {"rouge": m.scored({"rouge2": 0.0})}),
    )
    (pair,) = m.report_on(frames(folder)).comparisons
    assert pair.paired.low is not None and pair.paired.high == 1
    table = m.report_on(frames(folder)).table("headline")
    assert table and all(
        isinstance(cell, Estimate) and cell.high is not None and cell.high <= 1
        for row in table.rows
        for cell in row[2:4]
    )


def _folder(folder: Path, key: str, apart: float, *systems: str) -> Path:
    """Logs of systems with the same answers, whose values differ slightly in both directions."""
    scorer, _, name = key.partition(".")

    def value(system: str, n: int) -> float:
        return 0.8 + n / 100 + apart * (system == systems[-1]) * (1 if n % 3 else -1)

    def scores(system: str, n: int) -> dict[str, Score]:
        return {scorer: m.scored({name: value(system, n)} if name else value(system, n))}

    return m.write(folder, *(m.run_of(own, partial(scores, own), 12) for own in systems))


@pytest.mark.parametrize(
    "key, apart", [("bertscore.bertscore_f1", 6e-8), ("embedding_coverage", 1e-12)]
)
def test_rounding_differences_count_as_ties_everywhere(
    tmp_path: Path, key: str, apart: float
) -> None:
    results = frames([_folder(tmp_path / "one", key, apart, "arag", "stuffing")])
    criterion = Criterion(
        name="ahead", statistic="difference", measure=key, system="arag", over="stuffing",
        at_least=-1e-10,
    )  # fmt: skip
    report = m.report_on(results, [key], [criterion])
    (pair,) = report.comparisons
    assert (pair.paired.wins, pair.paired.ties, pair.paired.losses) == (0, 12, 0)
    assert (pair.paired.effect, pair.needed) == (0, None)
    assert report.table("power") is None
    assert pair.verdict == "not shown: no sample differs"
    titles = [
        example.title for example in choose_examples(report.study) if example.sample_id is not None
    ]
    assert not [title for title in titles if title.endswith("win")]
    criteria = m.table_of(report, "criteria")
    assert criteria.rows[0][-1] == "met"
    (measure,) = study_data(report.study)["measures"]
    assert measure["tie"] > 2 * apart

    before = frames([_folder(tmp_path / "before", key, 0, "arag")])
    after = frames([_folder(tmp_path / "after", key, apart, "arag")])
    (check,) = gate(after, before, read_rules(f"{key} >= 0")).checks
    assert check.verdict == "kept"
    (change,) = studies(pair_runs(before, after), Choices((key,), is_change=True))
    changed_study = m.PartialReport(change)
    assert changed_study.comparisons[0].paired.ties == 12
    assert changed_study.table("gains") is changed_study.table("regressions") is None


def test_differences_beyond_rounding_count_as_wins_or_losses(tmp_path: Path) -> None:
    key = "bertscore.bertscore_f1"
    folder = _folder(tmp_path, key, 0.001, "arag", "stuffing")
    (pair,) = m.report_on(frames(folder), [key]).comparisons
    assert (pair.paired.wins, pair.paired.ties, pair.paired.losses) == (8, 0, 4)
