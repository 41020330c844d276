"""Means over the samples of a study, with their intervals over groups of samples."""

import numpy as np

from ...stats.estimates import Bounds, Estimate, Floats, estimate
from ..study import Study


def mean_of_values(study: Study, values: Floats, bounds: Bounds = (None, None)) -> Estimate | None:
    """Return the mean of values by sample; None without values."""
    if np.isnan(values).all():
        return None
    return estimate(values, study.clusters, bounds, study.part_codes)


def mean_of_measure(study: Study, system: str, measure: str) -> Estimate | None:
    """Return the mean of a measure; None without values."""
    spec = study.catalogue.spec(measure)
    return mean_of_values(study, study.values_of(system, measure), (spec.low, spec.high))


def means_by_system(study: Study, measure: str) -> list[Estimate | None]:
    """Return the mean of a measure for each system, in their order."""
    return [mean_of_measure(study, system, measure) for system in study.systems]
