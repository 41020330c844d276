"""Number of samples with which a rule of a gate would probably be decided."""

import numpy as np

from ..report import Study
from ..stats.estimates import Paired, compare
from ..stats.power import samples_needed

_MOST = 100_000
"""Largest number of samples that is useful advice."""


def samples_for_change(change: Paired | None, bound: float) -> int | None:
    """Return how many samples would show with 80 % power on which side of a bound a change is.

    Args:
        change: The new run against the earlier one.
        bound: Allowed change.

    Returns:
        Number of samples; None if it is unknown, or the change is so near to the bound that it
        would take more than anyone runs.
    """
    if change is None:
        return None
    distance = change.difference - bound
    needed = samples_needed(distance, change.deviation, change.design_effect)
    return needed if needed is not None and needed <= _MOST else None


def samples_for_mean(study: Study, system: str, measure: str, bound: float) -> int | None:
    """Return how many samples would show with 80 % power on which side of a bound a mean is.

    Args:
        study: Study with the run.
        system: Name of the run.
        measure: Name of the measure.
        bound: Allowed mean.

    Returns:
        Number of samples; None if it is unknown, e.g. because the values do not vary.
    """
    values = study.values_of(system, measure)
    bounds = np.full_like(values, bound)
    return samples_for_change(
        compare(values, bounds, study.clusters, resamples=1, parts=study.part_codes), bound=0
    )
