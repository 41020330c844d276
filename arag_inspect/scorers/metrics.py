"""Metrics that Inspect does not have."""

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Value, ci, mean, metric, stderr


@metric
def p50() -> Metric:
    """Median."""
    return _percentile(50)


@metric
def p90() -> Metric:
    """90th percentile, linearly interpolated."""
    return _percentile(90)


@metric
def p99() -> Metric:
    """99th percentile, linearly interpolated."""
    return _percentile(99)


@metric
def share_at_least(threshold: float) -> Metric:
    """Share of samples whose value is at least the threshold."""

    def share(scores: list[SampleScore]) -> Value:
        values = [score.score.as_float() for score in scores]
        return float(np.mean([value >= threshold for value in values])) if values else float("nan")

    return share


@metric
def distribution() -> Metric:
    """Share of samples whose value rounds to 1, 2, 3, 4 and 5, halves up."""

    def shares(scores: list[SampleScore]) -> Value:
        values = [int(score.score.as_float() + 0.5) for score in scores]
        return {
            str(grade): values.count(grade) / len(values) if values else float("nan")
            for grade in range(1, 6)
        }

    return shares


@metric
def disagreement() -> Metric:
    """Mean over samples of the standard deviation between judges; NaN with a single judge."""

    def between_judges(scores: list[SampleScore]) -> Value:
        verdicts = [(score.score.metadata or {}).get("verdicts", {}) for score in scores]
        spreads = [np.std(list(one.values())) for one in verdicts if len(one) > 1]
        return float(np.mean(spreads)) if spreads else float("nan")

    return between_judges


def estimates() -> list[Metric]:
    """Mean, standard error and 95 % interval: what every key of every scorer here reports."""
    return [mean(), stderr(), ci()]


def percentiles() -> list[Metric]:
    """Mean, median, 90th and 99th percentile: what a quantity with a long tail reports."""
    return [mean(), p50(), p90(), p99()]


def _percentile(percent: float) -> Metric:
    def percentile(scores: list[SampleScore]) -> Value:
        values = [score.score.as_float() for score in scores]
        return float(np.percentile(values, percent)) if values else float("nan")

    return percentile
