"""Compare the scores of clean and perturbed summaries."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..stats.estimates import Floats, estimate
from ..stats.ranking import Rate, auc, wilson, win_rate
from ..types.measures import MeasureSpec
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

if TYPE_CHECKING:
    import pandas as pd


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


class Pairing:
    """Scores of one measure by case and variant."""

    def __init__(self, scores: "pd.DataFrame", spec: MeasureSpec) -> None:
        """Arrange the rows of a measure, with the columns of `by_variant`."""
        self._values = scores.pivot(index="case", columns="variant", values="value")
        self._missing = scores[scores["value"].isna()]
        self._sign, self._tie = -1.0 if spec.higher_is_better is False else 1.0, spec.tie

    def values(self, variant: str) -> Floats:
        """Return the known scores of a variant."""
        return self.pairs(variant, variant)[0]

    def mean(self, variant: str) -> float | None:
        """Return the mean score of a variant."""
        values = self.values(variant)
        return float(values.mean()) if values.size else None

    def pairs(self, left: str, right: str) -> tuple[Floats, Floats]:
        """Return the scores of the cases that both variants have, equal where they tie."""
        both = self._values.reindex(columns=[left, right]).dropna()
        firsts, seconds = both.to_numpy(float).T
        return firsts, np.where(np.abs(firsts - seconds) < self._tie, firsts, seconds)

    def falls(self, left: str, right: str) -> Floats:
        """Return how much worse the right variant scores in each case."""
        firsts, seconds = self.pairs(left, right)
        return self._sign * (firsts - seconds)

    def compare(self, better: str, worse: str) -> VariantComparison:
        """Compare two variants case by case."""
        left, right = self.pairs(better, worse)
        missing = self._missing.loc[self._missing["variant"] == worse, "case"]
        cases = self._values.reindex(columns=[better]).dropna().index
        return VariantComparison(
            better=better,
            worse=worse,
            pairs=len(left),
            silent=int(missing.isin(cases).sum()),
            win_rate=win_rate(self._sign * left, self._sign * right),
            auc=auc(self._sign * left, self._sign * right),
            change=_change(right - left),
            ties=float(np.mean(left == right)) if left.size else None,
        )


def analyse(scores: "pd.DataFrame", spec: MeasureSpec) -> KeyReport:
    """Compare the scores of clean and perturbed summaries for one key.

    Args:
        scores: Rows of the measure, with the columns of `by_variant`.
        spec: The measure.
    """
    pairing = Pairing(scores, spec)
    clean = scores[scores["variant"] == CLEAN]
    first_run, second_run = pairing.pairs(CLEAN, AGAIN)
    doubled, distance = (pairing.falls(CLEAN, variant) for variant in ("doubled", OTHER))
    raised = -pairing.falls(OTHER, OTHER_INSTRUCTED)
    is_known = doubled.size and distance.size and distance.mean()
    return KeyReport(
        scorer=spec.scorer,
        key=spec.value_key,
        lower_is_better=spec.higher_is_better is False,
        scored=len(pairing.values(CLEAN)),
        mean=pairing.mean(CLEAN),
        unscored=dict(Counter(clean.loc[clean["value"].isna(), "reason"])),
        noticed=[pairing.compare(CLEAN, perturbation.name) for perturbation in PERTURBATIONS],
        ranks=[pairing.compare(REFERENCE, name) for name in (LEAD, OTHER, EMPTY)],
        extremes={name: pairing.mean(name) for name in EXTREMES},
        length_effect=float(-doubled.mean() / distance.mean()) if is_known else None,
        injection_success_rate=wilson(float((raised > 0).sum()), raised.size)
        if raised.size
        else None,
        retest_agreement=float(np.mean(first_run == second_run)) if first_run.size else None,
        noise=float(np.mean(np.abs(first_run - second_run))) if first_run.size else None,
    )


def _change(differences: Floats) -> Rate | None:
    if not differences.size:
        return None
    result = estimate(differences, np.arange(len(differences)))
    low, high = (result.mean if end is None else end for end in (result.low, result.high))
    return Rate(result.mean, low, high)
