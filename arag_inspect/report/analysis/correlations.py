"""Correlations of measures."""

from itertools import combinations

import numpy as np

from ...stats.agreement import both_known, spearman, tau, varies
from ...types.measures import MeasureSpec
from ..load.records import Benchmark
from ..tables.table import Cell, Share, Table
from .matrix import ScoreMatrix


def correlations(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Return the correlation of every two measures; None if fewer than two vary."""
    columns = [
        (measure, pooled)
        for measure in benchmark.specs
        if measure.family != "cost" and varies(pooled := values.pooled(measure.key))
    ]
    if len(columns) < 2:
        return None
    return Table(
        "correlations",
        "Correlation of the measures",
        "Spearman's rho over the answers of all systems for which both have a value.",
        ("measure", *(measure.label for measure, _ in columns)),
        tuple(
            (measure.label, *(spearman(*both_known(a, b)) for _, b in columns))
            for measure, a in columns
        ),
    )


def overlap_against_judges(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Compare the order of answers by overlap measures and by judges.

    None if either is missing.
    """
    specs = benchmark.specs
    rows = [
        (a.label, b.label, *_order(benchmark, values, a, b))
        for a in specs
        if a.family in ("overlap", "facts")
        for b in specs
        if b.family in ("judgement", "human")
    ]
    if not rows:
        return None
    return Table(
        "overlap_against_judges",
        "Overlap and facts against judges",
        "Spearman's rho and Kendall's tau-b over answers, tau over systems by mean; ordered "
        "alike: of all pairs of answers to the same sample that differ on both measures, the "
        "share that both order the same way.",
        ("measure", "judged", "answers", "rho", "tau, answers", "tau, systems", "ordered alike"),
        tuple(rows),
    )


def _order(
    benchmark: Benchmark, values: ScoreMatrix, a: MeasureSpec, b: MeasureSpec
) -> tuple[Cell, ...]:
    first, second = values.pooled(a.key), values.pooled(b.key)
    x, y = both_known(first, second)
    means = [
        (np.nanmean(own), np.nanmean(other))
        for system in benchmark.systems
        if not np.isnan(own := values.of(system, a.key)).all()
        and not np.isnan(other := values.of(system, b.key)).all()
    ]
    table = np.array(means).reshape(-1, 2)
    return (
        len(x),
        spearman(x, y),
        tau(x, y),
        tau(table[:, 0], table[:, 1]),
        _ordered_alike(benchmark, values, a, b),
    )


def _ordered_alike(
    benchmark: Benchmark, values: ScoreMatrix, a: MeasureSpec, b: MeasureSpec
) -> Cell:
    signs = [
        np.sign(values.of(x, a.key) - values.of(y, a.key))
        * np.sign(values.of(x, b.key) - values.of(y, b.key))
        for x, y in combinations(benchmark.systems, 2)
    ]
    products = np.concatenate(signs) if signs else np.array([])
    apart = products[~np.isnan(products) & (products != 0)]
    return Share(float((apart > 0).mean())) if apart.size else None
