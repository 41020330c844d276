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
