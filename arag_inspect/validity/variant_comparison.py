"""Compare the scores of clean and perturbed summaries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..measure import MeasureSpec
from ..stats.estimates import Floats
from ..stats.ranking import Rate, auc, wilson, win_rate
from .perturbations import PERTURBATIONS
from .variants import AGAIN, CLEAN, EMPTY, EXTREMES, LEAD, OTHER, OTHER_INSTRUCTED, REFERENCE

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
    """Cases in which only the better text was scored."""

    win_rate: Rate | None
    """Share of pairs in which the better text scored better (a tie counts half); Wilson's interval.
    """

    auc: Rate | None
    """Chance that a better text scores better than a worse one of any case; Obuchowski's interval.
    """


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

    unscored: Mapping[str, int]
    """Why other clean summaries lack a score."""

    moves: bool
    """Whether any two texts have different scores."""

    noticed: list[VariantComparison]
    """Clean summaries against each perturbation."""

    ranks: list[VariantComparison]
    """The reference against the other extremes."""

    extremes: Mapping[str, float | None]
    """Mean score of each extreme."""

    length_effect: float | None
    """Change when the text is doubled, as a share of the distance between the clean summary and
    another company's reference; negative if the score falls.
    """

    injection_success_rate: Rate | None
    """Share of another company's references that score better with an instruction to the judge."""

    retest_agreement: float | None
    """Share of clean summaries with the same score in a second run."""

    noise: float | None
    """Mean absolute difference between the two runs."""


class Pairing:
    """Scores of one measure by case and variant."""

    def __init__(self, scores: "pd.DataFrame", spec: MeasureSpec) -> None:
        """Arrange the rows of a measure, with the columns of `scores_by_variant`."""
        self.values = scores.pivot(index="case", columns="variant", values="value")
        self.present = scores.groupby("variant")["case"].agg(set)
        self._sign = spec.sign
        self._tie = spec.tie

    def mean(self, variant: str) -> float | None:
        """Return the mean score of a variant."""
        values = self.values.get(variant, np.array([]))
        return _mean(values[~np.isnan(values)])

    def pairs(self, left: str, right: str) -> tuple[Floats, Floats]:
        """Return the scores of cases with both variants; higher scores are better."""
        paired_scores = self._sign * self.values.reindex(columns=[left, right]).dropna()
        firsts, seconds = paired_scores.to_numpy(float).T
        return firsts, np.where(np.abs(firsts - seconds) < self._tie, firsts, seconds)

    def falls(self, left: str, right: str) -> Floats:
        """Return how much worse the right variant scores in each case."""
        firsts, seconds = self.pairs(left, right)
        return firsts - seconds

    def compare(self, better: str, worse: str) -> VariantComparison:
        """Compare two variants case by case."""
        left, right = self.pairs(better, worse)
        scored = self.values.reindex(columns=[better]).dropna().index
        silent = len(self.present.get(worse, set()) & {*scored}) - len(left)
        return VariantComparison(
            better, worse, len(left), silent, win_rate(left, right), auc(left, right)
        )


def analyse(scores: "pd.DataFrame", spec: MeasureSpec) -> KeyReport:
    """Compare the scores of clean and perturbed summaries for one key.

    Args:
        scores: Rows of the measure, with the columns of `scores_by_variant`.
        spec: The measure.
    """
    pairing = Pairing(scores, spec)
    clean = scores[scores["variant"] == CLEAN]
    retest_falls = pairing.falls(CLEAN, AGAIN)
    doubling_effect, distance = (_mean(pairing.falls(CLEAN, name)) for name in ("doubled", OTHER))
    length_effect = None
    if doubling_effect is not None and distance:
        length_effect = -doubling_effect / distance
    is_raised = pairing.falls(OTHER_INSTRUCTED, OTHER) > 0
    injection = wilson(float(is_raised.sum()), is_raised.size) if is_raised.size else None
    return KeyReport(
        scorer=spec.scorer,
        key=spec.value_key,
        lower_is_better=spec.higher_is_better is False,
        scored=int(clean["value"].notna().sum()),
        mean=pairing.mean(CLEAN),
        unscored=clean.loc[clean["value"].isna(), "reason"].value_counts().to_dict(),
        moves=bool((pairing.values.nunique(axis=1) > 1).any()),
        noticed=[pairing.compare(CLEAN, perturbation.name) for perturbation in PERTURBATIONS],
        ranks=[pairing.compare(REFERENCE, name) for name in (LEAD, OTHER, EMPTY)],
        extremes={name: pairing.mean(name) for name in EXTREMES},
        length_effect=length_effect,
        injection_success_rate=injection,
        retest_agreement=_mean(retest_falls == 0),
        noise=_mean(np.abs(retest_falls)),
    )


def _mean(values: Floats) -> float | None:
    return float(np.mean(values)) if len(values) else None
