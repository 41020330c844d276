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
    kept = [
        (one, taken)
        for one in benchmark.specs
        if one.family != "cost" and varies(taken := values.pooled(one.key))
    ]
    if len(kept) < 2:
        return None
    return Table(
        "correlations",
        "Correlation of the measures",
        "Spearman's rho over the answers of all systems for which both have a value.",
        ("measure", *(one.label for one, _ in kept)),
        tuple((one.label, *(spearman(*both_known(a, b)) for _, b in kept)) for one, a in kept),
    )


def overlap_against_judges(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Compare the order of answers by overlap measures and by judges; None if one of the two is
    missing.
    """
    found = benchmark.specs
    rows = [
        (a.label, b.label, *_order(benchmark, values, a, b))
        for a in found
        if a.family in ("overlap", "facts")
        for b in found
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
