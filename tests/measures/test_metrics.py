"""Tests of the metrics in the log: intervals over companies, and metrics over epochs."""

import math
from itertools import chain
from statistics import stdev
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState
from scipy.stats import t

from arag_inspect.measures.metrics import (
    disagreement,
    distribution,
    grounding,
    listed_shares,
    lower,
    p50,
    p90,
    share_at_least,
    upper,
)
from arag_inspect.scorers import contain_match
from tests.scripted import Script, run, scripted, speak

pytestmark = pytest.mark.usefixtures("logs")


@scorer(metrics=[mean(), lower(), upper()])
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
    return metrics["lower"].value, metrics["upper"].value


def test_interval_is_computed_over_companies() -> None:
    means = {"A": 1.0, "B": 2.0, "C": 4.0}
    pairs = [(name, value + step) for name, value in means.items() for step in (-0.1, 0.1)]
    low, high = _interval([*pairs])
    half = float(t.ppf(0.975, 2)) * stdev(means.values()) / math.sqrt(3)
    assert (low, high) == pytest.approx((7 / 3 - half, 7 / 3 + half))


def test_samples_without_company_are_independent_in_interval() -> None:
    values = [1.0, 2.0, 4.0, 5.0]
    low, high = _interval([(None, value) for value in values])
    half = float(t.ppf(0.975, 3)) * stdev(values) / 2
    assert (low, high) == pytest.approx((3 - half, 3 + half))


def test_interval_is_nan_for_single_company() -> None:
    assert all(map(math.isnan, _interval([("A", 1.0), ("A", 2.0)])))


def test_metrics_report_mean_stderr_and_mean_per_question_type() -> None:
    samples = [
        Sample(input=str(n), target="12" if n < 4 else "", metadata={"question_type": "ab"[n % 2]})
        for n in range(5)
    ]
    model = scripted(lambda messages, *_: speak("12" if messages[-1].text == "0" else "no", 1))
    log = run(Task(dataset=samples, scorer=contain_match()), model)
    assert log.results
    (result,) = log.results.scores
    assert (result.scored_samples, result.unscored_samples) == (4, 1)
    metrics = {name: metric.value for name, metric in result.metrics.items()}
    assert metrics["mean"] == 0.25 and metrics["stderr"] == pytest.approx(0.25)  # 0.5 / sqrt(4)
    assert (metrics["a"], metrics["b"]) == (0.5, 0)


EPOCHS: dict[int, tuple[float, dict[str, Any]]] = {
    1: (5, {"shares": {"supported": 1.0}, "faults": {}, "context": 5}),
    2: (2, {"shares": {"supported": 0.25}, "faults": {"s": "invented"}, "context": 1}),
    3: (5, {"shares": {"supported": 0.75}, "verdicts": {"a": 5, "b": 3}}),
}
"""Grade and metadata of the answer to one sample in each epoch."""


@scorer(
    metrics=[
        mean(),
        share_at_least(4),
        distribution(),
        listed_shares(),
        grounding(),
        disagreement(),
        p50(),
        p90(),
    ]
)
def by_epoch() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        value, metadata = EPOCHS[state.epoch]
        return Score(value=value, metadata=metadata)

    return score


def test_metrics_of_grades_and_metadata_count_answers_of_every_epoch() -> None:
    log = run(Task(dataset=[Sample("?")], scorer=by_epoch()), scripted(Script("?")), epochs=3)
    assert log.status == "success" and log.results
    metrics = chain.from_iterable(score.metrics.items() for score in log.results.scores)
    values = {name.split("/")[-1]: metric.value for name, metric in metrics}
    assert values == pytest.approx(
        {
            "mean": 4,
            "share_at_least": 2 / 3,
            **{"1": 0, "2": 1 / 3, "3": 0, "4": 0, "5": 2 / 3},
            "supported": 2 / 3,
            **{"context": 3, "invented": 0.5, "not_retrieved": 0, "misread": 0},
            "disagreement": 1,
            **{"p50": 5, "p90": 5},
        }
    )


def test_epochs_are_averaged_before_samples_where_some_have_no_value() -> None:
    def score(sample: str, share: float | None) -> SampleScore:
        shares = {} if share is None else {"supported": share}
        return SampleScore(score=Score(value=1, metadata={"shares": shares}), sample_id=sample)

    scores = [score("a", 1.0), score("a", 0.0), score("b", 1.0), score("b", None)]
    measure: Any = listed_shares()
    assert measure(scores) == {"supported": 0.75}
