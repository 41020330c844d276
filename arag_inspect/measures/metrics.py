"""Metrics missing from Inspect."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain
from math import nan
from typing import Any, Literal, ParamSpec

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Value, grouped, mean, metric, stderr

from arag_inspect.measure import DEFAULT_SCALE, MeasureSpec, Scale, scale_of
from arag_inspect.measures._geval.grade import FAULTS
from arag_inspect.stats.estimates import Bounds, estimate
from arag_inspect.stats.strata import cluster_codes
from arag_inspect.types.sample import group_of

P = ParamSpec("P")


def _strip_package_name(
    name: str, scores: Literal["auto", "unreduced"] = "auto"
) -> Callable[[Callable[P, Metric]], Callable[P, Metric]]:
    """Give a metric a name without the package prefix, which fills an 80-column table."""

    def register(make: Callable[P, Metric]) -> Callable[P, Metric]:
        make.__module__ = ""  # Inspect puts a package's name first
        return metric(name=name, scores=scores)(make)

    return register


@_strip_package_name("p50", scores="unreduced")
def p50() -> Metric:
    """Median of all answers."""
    return _percentile(50)


@_strip_package_name("p90", scores="unreduced")
def p90() -> Metric:
    """90th percentile of all answers, linearly interpolated."""
    return _percentile(90)


@metric(scores="unreduced")
def share_at_least(threshold: float) -> Metric:
    """Share of answers whose value is at least a threshold on a scale from 1 to 5.

    A score on another scale (`scale` in the metadata) is first converted.
    """

    def share(scores: list[SampleScore]) -> Value:
        scale = _score_range(scores)
        values = [scale.of_five(score.score.as_float()) for score in scores]
        return _mean_over_samples(scores, [value >= threshold for value in values])

    return share


@metric(scores="unreduced")
def distribution() -> Metric:
    """Share of answers per rounded score of the scale, by default 1 to 5."""

    def shares(scores: list[SampleScore]) -> Value:
        values = [int(score.score.as_float() + 0.5) for score in scores]
        low, high = _score_range(scores)
        return {
            str(grade): _mean_over_samples(scores, [value == grade for value in values])
            for grade in range(low, high + 1)
        }

    return shares


@_strip_package_name("share", scores="unreduced")
def listed_shares() -> Metric:
    """Mean of each share in `shares` of the metadata; empty if there are none."""

    def by_key(scores: list[SampleScore]) -> Value:
        records = [(score.score.metadata or {}).get("shares", {}) for score in scores]
        keys = dict.fromkeys(chain.from_iterable(records))
        return {
            key: _mean_over_samples(scores, [record.get(key) for record in records]) for key in keys
        }

    return by_key


@metric(scores="unreduced")
def grounding() -> Metric:
    """Mean score against the text read, and mean number of faults of each kind.

    For scores against both the text read and the whole source. A fault is a statement that is
    invented, not retrieved or misread; they are counted per sample.
    """

    def by_fault(scores: list[SampleScore]) -> Value:
        faulty_scores = [score for score in scores if "faults" in (score.score.metadata or {})]
        if not faulty_scores:
            return {}
        records = [score.score.metadata or {} for score in faulty_scores]
        means: dict[str, str | int | float | bool | None] = {}
        grades = [record.get("context") for record in records]
        means["context"] = _mean_over_samples(faulty_scores, grades)
        faults = [list(record["faults"].values()) for record in records]
        for name in FAULTS:
            counts = [codes.count(name) for codes in faults]
            means[name] = _mean_over_samples(faulty_scores, counts)
        return means

    return by_fault


@_strip_package_name("disagreement", scores="unreduced")
def disagreement() -> Metric:
    """Mean standard deviation between judges; NaN with a single judge."""

    def between_judges(scores: list[SampleScore]) -> Value:
        verdicts = [(score.score.metadata or {}).get("verdicts", {}) for score in scores]
        deviations = [
            float(np.std(list(by_grader.values()))) if len(by_grader) > 1 else None
            for by_grader in verdicts
        ]
        return _mean_over_samples(scores, deviations)

    return between_judges


@_strip_package_name("type")
def by_question_type() -> Metric:
    """Mean of each question type; empty if samples have no type."""
    return _group_means("question_type")


@_strip_package_name("reason")
def by_question_reasoning() -> Metric:
    """Mean of each kind of reasoning; empty if samples have none."""
    return _group_means("question_reasoning")


def by_question() -> list[Metric]:
    """Return the means by question type and by reasoning."""
    return [by_question_type(), by_question_reasoning()]


def estimates(measure: MeasureSpec, rows: int = 4) -> list[Metric]:
    """Return the metrics of a key: mean, standard error and the ends of the 95 % interval.

    Args:
        measure: Measure of the key.
        rows: Maximum metrics: three omit the standard error, fewer give the mean alone.
    """
    bounds = (None, None) if measure.graded else (measure.low, measure.high)
    interval = [lower(*bounds, measure.graded), upper(*bounds, measure.graded)]
    if rows >= 4:
        return [mean(), stderr(), *interval]
    return [mean(), *interval] if rows == 3 else [mean()]


@_strip_package_name("lower")
def lower(low: float | None = None, high: float | None = None, graded: bool = False) -> Metric:
    """Lower end of the 95 % interval of the mean over companies, as in the report.

    If samples have groups or documents instead, these are the clusters (`group_of`); a sample with
    none is a cluster itself. NaN with one company, which does not represent others. Inspect's own
    `ci(cluster=...)` refuses samples without the key.

    Args:
        low: Lowest possible value; None without a bound.
        high: Highest possible value; None without a bound.
        graded: Whether the bounds are the ends of the scores' own scale instead.
    """
    return _score_bound("low", (low, high), graded)


@_strip_package_name("upper")
def upper(low: float | None = None, high: float | None = None, graded: bool = False) -> Metric:
    """Upper end of the same interval.

    Args:
        low: Lowest possible value; None without a bound.
        high: Highest possible value; None without a bound.
        graded: Whether the bounds are the ends of the scores' own scale instead.
    """
    return _score_bound("high", (low, high), graded)


def _score_bound(end: Literal["low", "high"], bounds: Bounds, graded: bool) -> Metric:
    def of_interval(scores: list[SampleScore]) -> Value:
        if not scores:
            return nan
        values = np.array([score.score.as_float() for score in scores])
        groups = [group_of(score.sample_metadata or {}) for score in scores]
        codes = cluster_codes(groups, range(len(scores)))
        interval = estimate(values, codes, _score_range(scores) if graded else bounds)
        value: float | None = getattr(interval, end)
        return nan if value is None else value

    return of_interval


def _group_means(key: str) -> Metric:
    """Return the mean of the samples with the same metadata value."""
    grouped_mean: Any = grouped(mean(), key, all=False)

    def of_each(scores: list[SampleScore]) -> Value:
        samples = [score for score in scores if (score.sample_metadata or {}).get(key)]
        return grouped_mean(samples)  # type: ignore[no-any-return]

    return of_each


def _mean_over_samples(scores: Sequence[SampleScore], values: Sequence[float | None]) -> float:
    """Return the mean over samples of the mean over the epochs of each, like the report.

    Args:
        scores: Scores of all epochs.
        values: A value for each score; None if it has none.
    """
    values_by_sample: dict[object, list[float]] = defaultdict(list)
    for score, value in zip(scores, values, strict=True):
        if value is not None:
            values_by_sample[score.sample_id].append(value)
    means = [np.mean(sample_values) for sample_values in values_by_sample.values()]
    return float(np.mean(means)) if means else nan


def _score_range(scores: list[SampleScore]) -> Scale:
    """Return the scale of a run, from any of its scores."""
    scales = (scale_of(score.score.metadata) for score in scores)
    return next((scale for scale in scales if scale), DEFAULT_SCALE)


def _percentile(percent: float) -> Metric:
    def percentile(scores: list[SampleScore]) -> Value:
        values = [score.score.as_float() for score in scores]
        return float(np.percentile(values, percent)) if values else float("nan")

    return percentile
