"""Tests that text scores are read as Inspect reads them, and that differing ranges are named."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.report import LogOptions, frames, studies
from arag_inspect.report.comparison.before_after import pair_runs
from arag_inspect.report.comparison.means import mean_of_measure
from tests.report import material as m


@solver
def says_nothing() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


def _inspects_mean(values: Sequence[Any], folder: Path) -> float:
    """Score samples with these values and return the accuracy that Inspect reports."""

    @scorer(metrics=[accuracy()], name="passed")
    def passed() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value=values[int(state.sample_id)])

        return score

    samples = [Sample(id=number, input="q", target="t") for number in range(len(values))]
    task = Task(samples, solver=says_nothing(), scorer=passed())
    [log] = eval(task, model="mockllm/model", display="none", log_dir=str(folder))
    assert log.results
    return float(log.results.scores[0].metrics["accuracy"].value)


@pytest.mark.parametrize(
    "values",
    [
        ["True", "False", "True", "True"],
        ["Yes", "No", "No", "No"],
        ["TRUE", "FALSE", "TRUE"],
        ["YES", "no", "Yes", "nO", "NO"],
        ["True", "true", "False", "False", "FALSE", True, False],
        ["C", "I", "P", "N", "Yes"],
        ["1", "0", "Yes", "0.5"],
    ],
)
def test_word_scores_have_same_values_as_in_inspect(values: list[Any], tmp_path: Path) -> None:
    expected = _inspects_mean(values, tmp_path)
    (study,) = studies(frames(tmp_path))
    estimate = mean_of_measure(study, study.systems[0], "passed")
    assert estimate is not None and estimate.n == len(values)
    assert estimate.mean == pytest.approx(expected)
    assert study.catalogue.spec("passed").higher_is_better


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ((0.25, 0.75), (25, 75), True),
        ((0.25, 1), (1, 5), True),
        (("Yes", "No"), (1, 5), True),
        ((0.25, 0.75), (0.1, 0.9), False),
        ((2, 3), (1, 5), False),
        ((0, 0), (0, 2), True),
        ((0, 1), (0, 100), True),
    ],
)
def test_measure_with_unlike_value_ranges_is_named(
    first: tuple[Any, Any], second: tuple[Any, Any], said: bool, tmp_path: Path
) -> None:
    logs = [
        m.run_of(system, lambda n, ends=ends: {"mine": Score(value=ends[n % 2])})  # type: ignore[misc]
        for system, ends in (("arag", first), ("stuffing", second))
    ]
    texts = [notice.text for notice in m.notices(frames(m.write(tmp_path, *logs)))]
    matches = [text for text in texts if "values of mine have different ranges" in text]
    assert len(matches) == said
    if said:
        low, high = second
        assert f"{low:g} to {high:g}" in matches[0]


_COUNTS = {"arag": (0, 0, 0), "stuffing": (0, 1, 2)}


def _counting(counts: Mapping[str, Sequence[float | str | bool]], folder: Path) -> Path:
    """Write logs of an undeclared measure, on 24 samples of 24 companies."""
    logs = []
    for system, values in counts.items():

        def scores(number: int, values: Sequence[Any] = values) -> dict[str, Score]:
            return {"hedges": Score(value=values[number % len(values)])}

        logs.append(m.run_of(system, scores, 24, company="C{}"))
    return m.write(folder, *logs)


@pytest.mark.parametrize("option", [{"lower": ("hedges",)}, {"higher": ("hedges",)}])
def test_given_direction_of_count_decides_where_one_system_has_none(
    option: dict[str, Any], tmp_path: Path
) -> None:
    logs_read = frames(_counting(_COUNTS, tmp_path), reading=LogOptions(**option))
    report = m.report_on(logs_read, ["hedges"])
    best = "A-RAG" if "lower" in option else "Stuffing"
    assert report.headline.startswith(f"{best} is better in hedges")
    assert "assumed" not in report.headline and not report.study.catalogue.contested
    assert not [notice for notice in m.notices(logs_read) if "ranges" in notice.text]


def test_count_without_direction_names_no_winner(tmp_path: Path) -> None:
    logs_read = frames(_counting(_COUNTS, tmp_path))
    report = m.report_on(logs_read, ["hedges"])
    assert not any(finding.shown for finding in report.findings)
    assert "--lower hedges or --higher hedges" in report.findings[0].text


def test_direction_given_to_one_side_of_a_change_counts_when_other_has_no_value(
    tmp_path: Path,
) -> None:
    nan = float("nan")
    before, after = (
        frames(_counting({"arag": values}, tmp_path / side))
        for side, values in (("before", (nan,)), ("after", (0, 1)))
    )
    (change,) = studies(pair_runs(before, after))
    assert change.catalogue.spec("hedges").higher_is_better
    assert not change.catalogue.contested


@pytest.mark.parametrize(
    ("values", "is_assumed"), [((0, 1), True), ((False, True), True), (("I", "C"), False)]
)
def test_assumed_direction_is_stated_where_it_decides(
    values: tuple[Any, Any], is_assumed: bool, tmp_path: Path
) -> None:
    first, second = values
    folder = _counting({"arag": (first,), "stuffing": (first, second)}, tmp_path)
    text = "That higher hedges is better is assumed, from values of 0 and 1; --lower hedges"
    report = m.report_on(frames(folder))
    assert report.headline.startswith("Stuffing is better in hedges than A-RAG")
    assert (text in report.headline) is is_assumed
    assert any(text in finding.text for finding in report.findings) is is_assumed
    reversed_report = m.report_on(frames(folder, reading=LogOptions(lower=("hedges",))))
    assert reversed_report.headline.startswith("A-RAG is better in hedges than Stuffing")
    assert "assumed" not in reversed_report.headline


def test_assumed_direction_is_stated_where_it_is_worse_elsewhere(tmp_path: Path) -> None:
    logs = []
    for system, grade, hedge in (("arag", 0.9, 0), ("stuffing", 0.2, 1)):

        def scores(number: int, grade: float = grade, hedge: int = hedge) -> dict[str, Score]:
            return {"quality": Score(value=grade), "hedges": Score(value=hedge * (number % 2))}

        logs.append(m.run_of(system, scores, 24, company="C{}"))
    logs_read = frames(m.write(tmp_path, *logs), reading=LogOptions(higher=("quality",)))
    report = m.report_on(logs_read, ["quality"])
    worse = m.finding_texts(report.study)["Worse elsewhere"]
    assert "0 of 24 against 12 of 24" in worse
    assert "that higher hedges is better is assumed" in worse
    assert "assumed" not in report.headline
