"""Tests that text scores are read as Inspect reads them, and that differing ranges are named."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.report import frames, studies
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
        assert (
            f"{low:g} to {high:g} in Stuffing" in matches[0] or f"{low:g} to {high:g}" in matches[0]
        )
