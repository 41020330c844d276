"""The interval in the log: over companies, not over samples."""

import math
from statistics import stdev

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState
from scipy.stats import t

from arag_inspect.scorers._metrics import ci
from tests.scripted import Script, run, scripted

pytestmark = pytest.mark.usefixtures("logs")


@scorer(metrics=[mean(), ci()])
def told() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=float(target.text))

    return score


def _interval(samples: list[tuple[str | None, float]]) -> tuple[float, float]:
    task = Task(
        dataset=[
            Sample("?", target=str(value), metadata=None if name is None else {"company": name})
            for name, value in samples
        ],
        scorer=told(),
    )
    log = run(task, scripted(Script("?")))
    assert log.status == "success" and log.results
    metrics = log.results.scores[0].metrics
    (low, high) = (metrics[name].value for name in metrics if name.endswith(("lower", "upper")))
    return low, high


def test_samples_of_a_company_are_no_independent_evidence() -> None:
    means = {"A": 1.0, "B": 2.0, "C": 4.0}
    pairs = [(name, value + step) for name, value in means.items() for step in (-0.1, 0.1)]
    low, high = _interval([*pairs])
    half = float(t.ppf(0.975, 2)) * stdev(means.values()) / math.sqrt(3)
    assert (low, high) == pytest.approx((7 / 3 - half, 7 / 3 + half))


def test_samples_without_a_company_are_alone() -> None:
    values = [1.0, 2.0, 4.0, 5.0]
    low, high = _interval([(None, value) for value in values])
    half = float(t.ppf(0.975, 3)) * stdev(values) / 2
    assert (low, high) == pytest.approx((3 - half, 3 + half))


def test_one_company_has_no_interval() -> None:
    assert all(map(math.isnan, _interval([("A", 1.0), ("A", 2.0)])))
