"""Compare the scores of clean and perturbed summaries."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from ..stats.estimates import Floats, estimate
from ..stats.ranking import Rate, auc, wilson, win_rate
from .score_variants import Measured
from .variants import (
    AGAIN,
    CLEAN,
    EMPTY,
    EXTREMES,
    LEAD,
    OTHER,
    OTHER_INSTRUCTED,
    PERTURBATIONS,
    REFERENCE,
)


@dataclass(frozen=True)
class VariantComparison:
    """Pairs of texts of the same case, of which the first should score better."""

    better: str
    worse: str
    pairs: int
    """Cases in which both were scored."""

    silent: int
    """Cases in which the better text was scored and the worse one was not."""

    win_rate: Rate | None
    """Share of pairs in which the better text scored better (a tie counts half); Wilson's interval.
    """

    auc: Rate | None
    """Chance that a better text scores better than a worse one of any case; Obuchowski's interval.
    """

    change: Rate | None
    """Mean of worse minus better, in units of the key; Student's t."""

    ties: float | None
    """Share of pairs with the same score."""


@dataclass(frozen=True)
class KeyReport:
    """Results for one key of one scorer."""

    scorer: str
    key: str
    lower_is_better: bool
    scored: int
    """Clean summaries with a score."""

    mean: float | None
    """Mean score of the clean summaries."""

    unscored: dict[str, int]
    """Why other clean summaries have no score."""

    noticed: list[VariantComparison]
    """Clean summaries against each perturbation."""

    ranks: list[VariantComparison]
    """The reference against the other extremes."""

    extremes: dict[str, float | None]
    """Mean score of each extreme."""

    length_effect: float | None
    """Change when everything is said twice, as a share of the distance between the clean summary
    and another company's reference; negative if the score falls.
    """

    injection_success_rate: Rate | None
    """Share of another company's references that score better with an instruction to the judge."""

    retest_agreement: float | None
    """Share of clean summaries with the same score in a second run."""

    noise: float | None
    """Mean absolute difference between the two runs."""

    @property
    def moves(self) -> bool:
        """Whether any perturbation or extreme changes the score."""
        return any(
            comparison.pairs and comparison.ties != 1 for comparison in (*self.noticed, *self.ranks)
        )


def analyse(measured: Measured, lower_is_better: Collection[str] = ()) -> KeyReport:
    """Compare the scores of clean and perturbed summaries for one key.

    Args:
        measured: Its scores.
        lower_is_better: Keys for which lower is better, besides those the scorer declares.
    """
    lower = measured.lower_is_better or bool({measured.key, measured.scorer} & {*lower_is_better})
    values, tie = measured.values, measured.tie
    missing = {variant: cases.keys() for variant, cases in measured.unscored.items()}
    clean = values.get(CLEAN, {})
    first_run, second_run = _paired(clean, values.get(AGAIN, {}), tie)
    doubled, distance = (_mean_change(values, CLEAN, variant) for variant in ("doubled", OTHER))
    return KeyReport(
        scorer=measured.scorer,
        key=measured.key,
        lower_is_better=lower,
        scored=len(clean),
        mean=_mean(clean),
        unscored=dict(Counter(measured.unscored.get(CLEAN, {}).values())),
        noticed=[
            compare(values, missing, CLEAN, perturbation.name, lower, tie)
            for perturbation in PERTURBATIONS
        ],
        ranks=[
            compare(values, missing, REFERENCE, name, lower, tie) for name in (LEAD, OTHER, EMPTY)
        ],
        extremes={name: _mean(values.get(name, {})) for name in EXTREMES},
        length_effect=-doubled / distance if doubled is not None and distance else None,
        injection_success_rate=_injection_success(values, lower, tie),
        retest_agreement=float(np.mean(first_run == second_run)) if first_run.size else None,
        noise=float(np.mean(np.abs(first_run - second_run))) if first_run.size else None,
    )


def compare(
    values: Mapping[str, Mapping[str, float]],
    missing: Mapping[str, Collection[str]],
    better: str,
    worse: str,
    lower: bool,
    tie: float,
) -> VariantComparison:
    """Compare two variants case by case.

    Args:
        values: Score by variant and case.
        missing: Cases without a score, by variant.
        better: Variant that should score better.
        worse: Variant that should score worse.
        lower: Whether less is better.
        tie: Smallest difference of two scores that counts.
    """
    firsts, seconds = values.get(better, {}), values.get(worse, {})
    left, right = _paired(firsts, seconds, tie)
    sign = -1.0 if lower else 1.0
    return VariantComparison(
        better=better,
        worse=worse,
        pairs=len(left),
        silent=sum(case in firsts for case in missing.get(worse, ())),
        win_rate=win_rate(sign * left, sign * right),
        auc=auc(sign * left, sign * right),
        change=_change(right - left),
        ties=float(np.mean(left == right)) if left.size else None,
    )


def _change(differences: Floats) -> Rate | None:
    if not differences.size:
        return None
    result = estimate(differences, np.arange(len(differences)))
    low, high = (result.mean if end is None else end for end in (result.low, result.high))
    return Rate(result.mean, low, high)


def _mean_change(
    values: Mapping[str, Mapping[str, float]], before: str, after: str
) -> float | None:
    left, right = _paired(values.get(before, {}), values.get(after, {}))
    return float((right - left).mean()) if left.size else None


def _injection_success(
    values: Mapping[str, Mapping[str, float]], lower: bool, tie: float
) -> Rate | None:
    plain, instructed = _paired(values.get(OTHER, {}), values.get(OTHER_INSTRUCTED, {}), tie)
    if not plain.size:
        return None
    raised = instructed < plain if lower else instructed > plain
    return wilson(float(raised.sum()), len(plain))


def _paired(
    left: Mapping[str, float], right: Mapping[str, float], tie: float = 0.0
) -> tuple[Floats, Floats]:
    """Return the scores of the cases that both have, in the same order, equal where they tie."""
    both = sorted(left.keys() & right.keys())
    firsts = np.array([left[case] for case in both], float)
    seconds = np.array([right[case] for case in both], float)
    return firsts, np.where(np.abs(firsts - seconds) < tie, firsts, seconds)


def _mean(scores: Mapping[str, float]) -> float | None:
    return float(np.mean(list(scores.values()))) if scores else None
