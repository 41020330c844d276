"""Quality of rankings, and how often the better of two texts scores higher."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from .estimates import Floats, wilson_interval

_NOTHING = 1e-9

RANK_MEASURES = ("hit@1", "hit@5", "recall@5", "MRR@10", "nDCG@10")


class Ranking(NamedTuple):
    """Items that a search found, best first, and items that it should have found."""

    found: Sequence[object]
    wanted: Mapping[Any, Collection[Any]]
    """Acceptable substitutes by wanted item; only the first match of an item counts."""


def rank_quality(rankings: Sequence[Ranking]) -> Floats:
    """Evaluate rankings with ir_measures, using binary relevance.

    Args:
        rankings: Each with at least one wanted item; a repeated item counts at its first rank.

    Returns:
        Values of `RANK_MEASURES`, shape (rankings, 5).
    """
    import ir_measures as ir

    patterns: dict[tuple[int, tuple[int, ...]], int] = {}  # evaluates equal rankings once
    positions = []
    for ranking in rankings:
        pattern = len(ranking.wanted), tuple(_ranks_of_hits(ranking))
        positions.append(patterns.setdefault(pattern, len(patterns)))
    measures = (ir.Success @ 1, ir.Success @ 5, ir.R @ 5, ir.RR @ 10, ir.nDCG @ 10)
    qrels = []
    run = []
    for (count, ranks), query in patterns.items():
        qrels += [ir.Qrel(str(query), f"wanted {number}", 1) for number in range(count)]
        names = {rank: f"wanted {number}" for number, rank in enumerate(ranks)}
        for rank in range(max(ranks, default=-1) + 1):
            name = names.get(rank, f"other {rank}")
            run.append(ir.ScoredDoc(str(query), name, float(-rank)))
    values = np.zeros((len(patterns), len(measures)))
    for metric in ir.iter_calc(measures, qrels, run):
        values[int(metric.query_id), measures.index(metric.measure)] = metric.value
    return values[positions]


def _ranks_of_hits(ranking: Ranking) -> Iterator[int]:
    """Yield the ranks, from 0, at which a wanted item is first found."""
    unmatched = dict(ranking.wanted)
    for rank, item in enumerate(dict.fromkeys(ranking.found)):
        match = _first_match(item, unmatched)
        if match is not None:
            del unmatched[match]
            yield rank


def _first_match(item: object, wanted: Mapping[Any, Collection[Any]]) -> Any:
    """Return the first wanted item that an item is or may replace; None if missing."""
    for candidate, substitutes in wanted.items():
        if item == candidate or item in substitutes:
            return candidate
    return None


class Rate(NamedTuple):
    """A share with its 95 % interval and the number of texts, or pairs of texts, behind it."""

    value: float
    low: float
    high: float
    n: int


def win_rate(better: Floats, worse: Floats) -> Rate | None:
    """Return the share of pairs that the better text wins, with Wilson's interval.

    A tie counts half. With half wins the variance is at most a binomial's, so the interval is
    conservative.

    Args:
        better: Scores, shape (pairs,).
        worse: Scores of the same cases, shape (pairs,).
    """
    if not better.size:
        return None
    wins = float(np.sum(better > worse) + np.sum(better == worse) / 2)
    return wilson(wins, len(better))


def auc(better: Floats, worse: Floats) -> Rate | None:
    """Return the area under the ROC curve for pairs of texts, with Obuchowski's interval (1997).

    The interval is DeLong's, adjusted for the correlation within a pair. If its variance is zero
    (the score separates all texts, or none), the interval is Wilson's for these pairs.

    Args:
        better: Scores, shape (pairs,).
        worse: Scores of the same cases, shape (pairs,).
    """
    pairs = len(better)
    if not pairs:
        return None
    ahead = (better[:, None] > worse) + 0.5 * (better[:, None] == worse)
    area = float(ahead.mean())
    parts = ahead.mean(axis=1) + ahead.mean(axis=0) - 2 * area
    error = np.sqrt((parts**2).sum() / (pairs * max(1, pairs - 1)))
    if error < _NOTHING:
        return wilson(area * pairs, pairs)
    half_width = float(ndtri(0.975)) * float(error)
    return Rate(area, max(0.0, area - half_width), min(1.0, area + half_width), pairs)


def wilson(wins: float, trials: int) -> Rate:
    """Return a proportion with Wilson's interval; wins may be fractional."""
    share = wins / trials
    return Rate(share, *wilson_interval(share, float(ndtri(0.975)) ** 2 / trials), trials)
