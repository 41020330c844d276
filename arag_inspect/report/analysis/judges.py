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
    found: dict[str, dict[tuple[str, int], dict[str, float]]] = {}
    scales: dict[str, Sequence[Scale]] = {}
    answers = list(benchmark.samples())
    for place, (_, sample) in enumerate(answers):
        for one in sample.judgements:
            if one.verdict is not None and one.repeat == 0:
                dimension = _dimension(sample, one.scorer)
                scales[dimension] = benchmark.scales.get(one.scorer, ())
                row = found.setdefault(dimension, {}).setdefault((sample.id, place), {})
                row.setdefault(one.grader, one.verdict)
    return tuple(
        Ratings(
            dimension,
            find_measure(dimension, benchmark.declared, scales[dimension]).label,
            judges,
            tuple(answers[place][0].system for _, place in rows),
            np.array([answers[place][1].word_count for _, place in rows], dtype=float),
            np.array([[row.get(one, math.nan) for one in judges] for row in rows.values()]),
        )
        for dimension, rows in found.items()
        if (judges := tuple(sorted({grader for row in rows.values() for grader in row})))
    )


def agreement(found: Sequence[Ratings]) -> Table | None:
    """Return the agreement between judges; None with a single judge."""
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        if len(one.judges) > 2:
            n = int((~np.isnan(one.verdicts)).any(axis=1).sum())
            rows.append((one.label, "all", n, alpha(one.verdicts), None, None, None))
        for a, b in combinations(range(len(one.judges)), 2):
            rows.append((one.label, f"{one.judges[a]} / {one.judges[b]}", *_pair(one, a, b)))
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


def self_consistency(found: Sequence[Consistency]) -> Table | None:
    """Return the self-consistency of judges; None if nothing was judged again."""
    if not found:
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
                one.measure.label,
                one.system,
                one.change.n,
                Signed(one.change.mean, one.change.low, one.change.high),
                one.absolute,
                Share(one.exact),
                one.floor,
            )
            for one in found
        ),
    )


def length_bias(benchmark: Benchmark, found: Sequence[Ratings]) -> Table | None:
    """Correlate score and length of answers; None if nothing was judged."""
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        for place, judge in enumerate(one.judges):
            verdicts = one.verdicts[:, place]
            rows.append((one.label, judge, *_length(verdicts, one.lengths, one.systems)))
    for taken in (one for one in benchmark.specs if one.family in ("overlap", "facts")):
        answers = [
            (run.system, value, sample.word_count)
            for run, sample in benchmark.samples()
            if (value := sample.value(taken.key)) is not None
        ]
        systems = [system for system, _, _ in answers]
        values = np.array([value for _, value, _ in answers], dtype=float)
        lengths = np.array([length for _, _, length in answers], dtype=float)
        rows.append((taken.label, "-", *_length(values, lengths, systems)))
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


def _pair(one: Ratings, a: int, b: int) -> tuple[Cell, ...]:
    both = ~np.isnan(one.verdicts[:, [a, b]]).any(axis=1)
    first, second = one.verdicts[both, a], one.verdicts[both, b]
    systems = np.array(one.systems)[both]
    means = [
        [float(verdicts[systems == system].mean()) for system in dict.fromkeys(systems)]
        for verdicts in (first, second)
    ]
    return (
        len(first),
        alpha(one.verdicts[:, [a, b]]),
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
        known = own & ~np.isnan(values)
        centred[own] -= values[known].mean() if known.any() else 0.0
    return centred


def _length(scores: Floats, lengths: Floats, systems: Sequence[str]) -> tuple[Cell, Cell, Cell]:
    a, b = both_known(_within(scores, systems), _within(lengths, systems))
    found = pearson(a, b)
    if found is None:
        return len(a), None, None
    return len(a), Signed(found.r, found.low, found.high), P(found.p)


def _dimension(sample: SampleResult, scorer: str) -> str:
    """Return the dimension that a scorer judges, from its signature, so that judges of one
    dimension are grouped.
    """
    signature = sample.scorings[scorer].signature
    return signature.split("|")[0] if signature else scorer
