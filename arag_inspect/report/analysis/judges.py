"""Agreement between judges, self-consistency, and length bias."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...stats.agreement import alpha, both_known, kappa, pearson, tau
from ...stats.estimates import Floats
from ...types.measures import find_measure
from ...types.scale import Scale
from ..load.records import Benchmark, SampleResult
from ..tables.table import Cell, P, Share, Signed, Table
from .retest import Consistency


class Ratings(NamedTuple):
    """The verdicts of every judge on every answer in one dimension."""

    dimension: str
    label: str
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    """System of each answer."""

    lengths: Floats
    """Words of each answer."""

    verdicts: Floats
    """Verdicts, shape (answers, judges); NaN if a judge has no verdict."""


def ratings(benchmark: Benchmark) -> tuple[Ratings, ...]:
    """Return the first verdicts of all judges, by dimension."""
    rows_by_dimension: dict[str, dict[tuple[str, int], dict[str, float]]] = {}
    scales: dict[str, Sequence[Scale]] = {}
    answers = list(benchmark.samples())
    for index, (_, sample) in enumerate(answers):
        for judgement in sample.judgements:
            if judgement.verdict is not None and judgement.repeat == 0:
                dimension = _dimension(sample, judgement.scorer)
                scales[dimension] = benchmark.scales.get(judgement.scorer, ())
                row = rows_by_dimension.setdefault(dimension, {}).setdefault((sample.id, index), {})
                row.setdefault(judgement.grader, judgement.verdict)
    return tuple(
        Ratings(
            dimension,
            find_measure(dimension, benchmark.declared, scales[dimension]).label,
            judges,
            tuple(answers[index][0].system for _, index in rows),
            np.array([answers[index][1].word_count for _, index in rows], dtype=float),
            np.array([[row.get(judge, math.nan) for judge in judges] for row in rows.values()]),
        )
        for dimension, rows in rows_by_dimension.items()
        if (judges := tuple(sorted({grader for row in rows.values() for grader in row})))
    )


def agreement(all_ratings: Sequence[Ratings]) -> Table | None:
    """Return the agreement between judges; None with a single judge."""
    rows: list[tuple[Cell, ...]] = []
    for rating in all_ratings:
        if len(rating.judges) > 2:
            n = int((~np.isnan(rating.verdicts)).any(axis=1).sum())
            rows.append((rating.label, "all", n, alpha(rating.verdicts), None, None, None))
        for a, b in combinations(range(len(rating.judges)), 2):
            rows.append(
                (rating.label, f"{rating.judges[a]} / {rating.judges[b]}", *_pair(rating, a, b))
            )
    if not rows:
        return None
    return Table(
        "agreement",
        "Agreement between judges",
        "Krippendorff's alpha for ordinal verdicts (1: perfect, 0: chance), Cohen's kappa with "
        "quadratic weights, Kendall's tau-b over answers, and over systems by mean verdict.",
        ("dimension", "judges", "answers", "alpha", "kappa", "tau, answers", "tau, systems"),
        tuple(rows),
    )


def self_consistency(consistencies: Sequence[Consistency]) -> Table | None:
    """Return the self-consistency of judges; None if nothing was judged again."""
    if not consistencies:
        return None
    return Table(
        "self_consistency",
        "Agreement of judges with themselves",
        "The same answers judged again (`arag-inspect rejudge`). Change: difference of the "
        "system's mean. Noise floor: the larger end of its interval; smaller differences are "
        "not called.",
        ("measure", "system", "answers", "change", "size of a change", "same value", "noise floor"),
        tuple(
            (
                consistency.measure.label,
                consistency.system,
                consistency.change.n,
                Signed(consistency.change.mean, consistency.change.low, consistency.change.high),
                consistency.absolute,
                Share(consistency.exact),
                consistency.floor,
            )
            for consistency in consistencies
        ),
    )


def length_bias(benchmark: Benchmark, all_ratings: Sequence[Ratings]) -> Table | None:
    """Correlate score and length of answers; None if nothing was judged."""
    rows: list[tuple[Cell, ...]] = []
    for rating in all_ratings:
        for column, judge in enumerate(rating.judges):
            verdicts = rating.verdicts[:, column]
            rows.append((rating.label, judge, *_length(verdicts, rating.lengths, rating.systems)))
    for measure in (spec for spec in benchmark.specs if spec.family in ("overlap", "facts")):
        answers = [
            (run.system, value, sample.word_count)
            for run, sample in benchmark.samples()
            if (value := sample.value(measure.key)) is not None
        ]
        systems = [system for system, _, _ in answers]
        values = np.array([value for _, value, _ in answers], dtype=float)
        lengths = np.array([length for _, _, length in answers], dtype=float)
        rows.append((measure.label, "-", *_length(values, lengths, systems)))
    if not rows:
        return None
    return Table(
        "length_bias",
        "Length bias",
        "Pearson's r of score and words of the answer, both as deviations from the system's mean, "
        "with its 95 % interval. Far from zero, the measure may reward length, or brevity.",
        ("measure", "judge", "answers", "r", "p"),
        tuple(rows),
    )


def _pair(rating: Ratings, a: int, b: int) -> tuple[Cell, ...]:
    both = ~np.isnan(rating.verdicts[:, [a, b]]).any(axis=1)
    first, second = rating.verdicts[both, a], rating.verdicts[both, b]
    systems = np.array(rating.systems)[both]
    means = [
        [float(verdicts[systems == system].mean()) for system in dict.fromkeys(systems)]
        for verdicts in (first, second)
    ]
    return (
        len(first),
        alpha(rating.verdicts[:, [a, b]]),
        kappa(first, second),
        tau(first, second),
        tau(np.array(means[0]), np.array(means[1])),
    )


def _within(values: Floats, systems: Sequence[str]) -> Floats:
    """Return deviations from the mean of the system."""
    names = np.array(systems)
    centred = values.copy()
    for system in set(systems):
        own = names == system
        present = own & ~np.isnan(values)
        centred[own] -= values[present].mean() if present.any() else 0.0
    return centred


def _length(scores: Floats, lengths: Floats, systems: Sequence[str]) -> tuple[Cell, Cell, Cell]:
    a, b = both_known(_within(scores, systems), _within(lengths, systems))
    correlation = pearson(a, b)
    if correlation is None:
        return len(a), None, None
    return len(a), Signed(correlation.r, correlation.low, correlation.high), P(correlation.p)


def _dimension(sample: SampleResult, scorer: str) -> str:
    """Return the dimension that a scorer judges, from its signature.

    So judges of one dimension are grouped.
    """
    signature = sample.scorings[scorer].signature
    return signature.split("|")[0] if signature else scorer
