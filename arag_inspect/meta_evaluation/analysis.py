"""What the scores of clean and damaged summaries tell of a scorer."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from .score_variants import Measured
from .variants import (
    AGAIN,
    CLEAN,
    DAMAGES,
    EMPTY,
    EXTREMES,
    LEAD,
    OTHER,
    OTHER_INSTRUCTED,
    REFERENCE,
)

LOWER_IS_BETTER = frozenset({"contradicted", "error_taxonomy", "incorrect", "refusal"})
"""Keys, and scorers with all their keys, of which less is better."""

_DECIMALS = 6
"""Scores are compared to so many places: batches round differently, which is no difference."""

_NOTHING = 1e-9
_Z = float(stats.norm.ppf(0.975))

Vector = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """Pairs of texts of the same case, the first of which should score better."""

    better: str
    worse: str
    pairs: int
    """Cases in which both were scored."""

    silent: int
    """Cases in which the better one was scored and the worse one left unscored."""

    win_rate: Estimate | None
    """Share of pairs in which the better one scored better, ties counted half; Wilson's interval."""

    auc: Estimate | None
    """Chance that a better one scores better than a worse one, of whichever case; Obuchowski's interval."""

    change: Estimate | None
    """Mean of worse minus better, in units of the key; Student's t."""

    ties: float | None
    """Share of pairs with the same score."""


@dataclass(frozen=True)
class KeyAudit:
    """What was found of one key of one scorer."""

    scorer: str
    key: str
    lower_is_better: bool
    scored: int
    """Clean summaries with a score."""

    mean: float | None
    """Of the clean summaries."""

    unscored: dict[str, int]
    """Why other clean summaries have none."""

    noticed: list[Comparison]
    """Clean against each damage."""

    ranks: list[Comparison]
    """The reference itself against the other extremes."""

    extremes: dict[str, float | None]
    """Mean score of each extreme."""

    length_effect: float | None
    """What saying everything twice does, as a share of the distance between the clean summary and another company's reference; below zero where it lowers the score."""

    fooled: Estimate | None
    """Share of another company's references that score better with an instruction to the judge."""

    asked_twice: float | None
    """Share of clean summaries that get the same score again."""

    noise: float | None
    """Mean absolute difference between the two."""

    @property
    def moves(self) -> bool:
        """Whether any damage or extreme has another score than what it is compared with."""
        return any(one.pairs and one.ties != 1 for one in (*self.noticed, *self.ranks))


def analyse(measured: Measured, lower_is_better: Collection[str] = ()) -> KeyAudit:
    """Compare what a key gave clean and damaged summaries.

    Args:
        measured: Its scores.
        lower_is_better: Keys of which less is better, besides those known.
    """
    lower = bool({measured.key, measured.scorer} & {*LOWER_IS_BETTER, *lower_is_better})
    values = {
        variant: {case: round(value, _DECIMALS) for case, value in scores.items()}
        for variant, scores in measured.values.items()
    }
    missing = {variant: cases.keys() for variant, cases in measured.unscored.items()}
    clean = values.get(CLEAN, {})
    twice = _paired(clean, values.get(AGAIN, {}))
    doubled, distance = (_mean_change(values, CLEAN, variant) for variant in ("doubled", OTHER))
    return KeyAudit(
        scorer=measured.scorer,
        key=measured.key,
        lower_is_better=lower,
        scored=len(clean),
        mean=_mean(clean),
        unscored=dict(Counter(measured.unscored.get(CLEAN, {}).values())),
        noticed=[compare(values, missing, CLEAN, damage.name, lower) for damage in DAMAGES],
        ranks=[compare(values, missing, REFERENCE, name, lower) for name in (LEAD, OTHER, EMPTY)],
        extremes={name: _mean(values.get(name, {})) for name in EXTREMES},
        length_effect=-doubled / distance if doubled is not None and distance else None,
        fooled=_fooled(values, lower),
        asked_twice=float(np.mean(twice[0] == twice[1])) if twice[0].size else None,
        noise=float(np.mean(np.abs(twice[0] - twice[1]))) if twice[0].size else None,
    )


def compare(
    values: Mapping[str, Mapping[str, float]],
    missing: Mapping[str, Collection[str]],
    better: str,
    worse: str,
    lower: bool,
) -> Comparison:
    """Compare two variants case by case.

    Args:
        values: Score by variant and case.
        missing: Cases without a score, by variant.
        better: Variant that should score better.
        worse: Variant that should score worse.
        lower: Whether less is better.
    """
    firsts, seconds = values.get(better, {}), values.get(worse, {})
    left, right = _paired(firsts, seconds)
    sign = -1.0 if lower else 1.0
    return Comparison(
        better=better,
        worse=worse,
        pairs=len(left),
        silent=sum(case in firsts for case in missing.get(worse, ())),
        win_rate=win_rate(sign * left, sign * right),
        auc=auc(sign * left, sign * right),
        change=_change(right - left),
        ties=float(np.mean(left == right)) if left.size else None,
    )


def win_rate(better: Vector, worse: Vector) -> Estimate | None:
    """Share of pairs that the better one wins, ties counted half, with Wilson's interval.

    With half wins the variance is at most a binomial's, so the interval is on the safe side.

    Args:
        better: Scores, shape (pairs,).
        worse: Scores of the same cases, shape (pairs,).
    """
    if not better.size:
        return None
    wins = float(np.sum(better > worse) + np.sum(better == worse) / 2)
    return _wilson(wins, len(better))


def auc(better: Vector, worse: Vector) -> Estimate | None:
    """Area under the ROC curve of two texts a case, with Obuchowski's interval for clustered data (1997).

    The interval is DeLong's, but for the two texts of a case being alike. Where
    its variance is nothing (all texts are told apart, or none) it is Wilson's
    for as many pairs.

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
        return _wilson(area * pairs, pairs)
    half = _Z * float(error)
    return Estimate(area, max(0.0, area - half), min(1.0, area + half))


def _wilson(wins: float, trials: int) -> Estimate:
    """Wilson's score interval (1927), also for half wins."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(wins, trials, method="wilson")
    return Estimate(wins / trials, float(low), float(high))


def _change(differences: Vector) -> Estimate | None:
    if not differences.size:
        return None
    mean = float(differences.mean())
    if len(differences) < 2 or not differences.std():
        return Estimate(mean, mean, mean)
    low, high = stats.t.interval(0.95, len(differences) - 1, mean, stats.sem(differences))
    return Estimate(mean, float(low), float(high))


def _mean_change(
    values: Mapping[str, Mapping[str, float]], before: str, after: str
) -> float | None:
    left, right = _paired(values.get(before, {}), values.get(after, {}))
    return float((right - left).mean()) if left.size else None


def _fooled(values: Mapping[str, Mapping[str, float]], lower: bool) -> Estimate | None:
    plain, instructed = _paired(values.get(OTHER, {}), values.get(OTHER_INSTRUCTED, {}))
    if not plain.size:
        return None
    raised = instructed < plain if lower else instructed > plain
    return _wilson(float(raised.sum()), len(plain))


def _paired(left: Mapping[str, float], right: Mapping[str, float]) -> tuple[Vector, Vector]:
    """Scores of the cases that both have, in the same order."""
    both = sorted(left.keys() & right.keys())
    return (
        np.array([left[case] for case in both], float),
        np.array([right[case] for case in both], float),
    )


def _mean(scores: Mapping[str, float]) -> float | None:
    return float(np.mean(list(scores.values()))) if scores else None
