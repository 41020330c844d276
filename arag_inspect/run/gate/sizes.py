"""Number of samples that would probably decide a rule of a gate."""

import numpy as np

from ..._util.wording import plural
from ...report import Study
from ...report.comparison.basis import independent_unit, needed_groups
from ...stats.estimates import Estimate, Paired, paired_difference
from ...stats.power import samples_for


def samples_for_change(change: Paired | None, bound: float) -> int | None:
    """Return how many samples decide with 80 % power on which side of a bound a change is.

    Args:
        change: The new run against the earlier one.
        bound: Allowed change.

    Returns:
        Number of samples; None if it is unknown, e.g. because the change equals the bound.
    """
    if change is None:
        return None
    return samples_for(change, change.difference - bound)


def samples_for_mean(study: Study, system: str, measure: str, bound: float) -> int | None:
    """Return how many samples decide with 80 % power on which side of a bound a mean is.

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
        paired_difference(values, bounds, study.clusters, resamples=1, parts=study.part_codes),
        bound=0,
    )


def what_narrows(
    study: Study, figure: Estimate | Paired | None, needed: int | None, name: str
) -> str:
    """Return what narrows an interval: more independent samples or groups, and about how many.

    Args:
        study: Study with the run.
        figure: Mean or change with the interval; None if no sample counts.
        needed: Number of samples that would decide the rule; None if it is unknown.
        name: `mean` or `change`.
    """
    if figure is None:
        return "more samples would narrow it"
    text = f"more {plural(independent_unit(study, figure))} would narrow it"
    if needed is None or needed <= figure.n:
        return text
    enough = needed_groups(study, figure, needed)
    return f"{text} ({enough} would decide it at this {name}, with 80 % power)"
