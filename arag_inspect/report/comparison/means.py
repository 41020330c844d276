"""Means over the samples of a study, with their intervals over groups of samples."""

import numpy as np

from ..._util.extras import extra
from ...measure import MeasureSpec
from ...stats.estimates import Bounds, Estimate, Floats, estimate
from ..study import Study

with extra("report"):
    import pandas as pd

_CHOSEN = ("weak", "disputed")
"""How a review sheet draws answers that are not a random sample."""


def mean_of_values(study: Study, values: Floats, bounds: Bounds = (None, None)) -> Estimate | None:
    """Return the mean of values by sample; None without values."""
    if np.isnan(values).all():
        return None
    return estimate(values, study.clusters, bounds, study.part_codes)


def mean_of_measure(study: Study, system: str, measure: str) -> Estimate | None:
    """Return the mean of a measure; None without values."""
    spec = study.catalogue.spec(measure)
    return mean_of_values(study, values_for_mean(study, system, measure), (spec.low, spec.high))


def values_for_mean(study: Study, system: str, measure: str) -> Floats:
    """Return the values by sample that a mean counts: of human marks, only random answers."""
    if study.catalogue.spec(measure).family == "human":
        return random_marks(study, system, measure)
    return study.values_of(system, measure)


def random_marks(study: Study, system: str, human: str) -> Floats:
    """Return the human marks by sample, without answers that were chosen for review."""
    scores = study.scores_of(human)
    drawn = scores["details"].map(lambda details: (details or {}).get("drawn"))
    is_chosen = (scores["system"] == system) & drawn.isin(_CHOSEN)
    chosen_ids = list(scores.loc[is_chosen, "id"])
    marks = study.values_of(system, human)
    return np.where(np.isin(study.sample_ids, chosen_ids), np.nan, marks)


def means_by_system(study: Study, measure: str) -> dict[str, Estimate | None]:
    """Return the mean of a measure for each system, in their order."""
    return {system: mean_of_measure(study, system, measure) for system in study.systems}


def good_shares(study: Study, system: str, measure: MeasureSpec) -> "pd.Series[float]":
    """Return the share of a sample's graded answers, over epochs, that have a good grade."""
    scores = study.scores_of(measure.key)
    graded = scores[scores["system"] == system].dropna(subset=["value"])
    is_good: pd.Series[bool] = graded["value"] >= measure.good_grade
    return is_good.groupby(graded["id"], sort=False).mean()
