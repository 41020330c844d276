"""Positions of systems between the closed book and the oracle of their model."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...types.system import system_named
from ..cells import Signed
from ..study import Study
from .means import mean_of_values
from .primary import primary_measures


class Position(NamedTuple):
    """Position of a system between the closed book and the oracle of its model."""

    measure: str
    system: str
    floor: float
    mean: float
    ceiling: float
    share: Signed
    """Share of the way from floor to ceiling."""


def positions(study: Study, only: str | None = None) -> Iterator[Position]:
    """Yield the position of every system whose model has a closed book and an oracle.

    Positions use the samples common to all three. The interval is for the ratio of two means over
    groups (linearised). If the ceiling is not above the floor, there is no position.

    Args:
        study: Systems that are compared.
        only: The only measure; None for the primary ones and the share of facts stated.
    """
    deciding = (*primary_measures(study), study.catalogue.key_of("facts stated"))
    keys = [key for key in deciding if key in study.catalogue.keys]
    bounds = {
        (system_named(run.solver).bound, run.model): run.system for run in reversed(study.rows)
    }
    for measure in [only] if only else dict.fromkeys(keys):
        for run in study.rows:
            floor = bounds.get(("floor", run.model))
            ceiling = bounds.get(("ceiling", run.model))
            if system_named(run.solver).bound or floor is None or ceiling is None:
                continue
            position = _position(study, measure, run.system, floor, ceiling)
            if position is not None:
                yield position


def _position(study: Study, measure: str, system: str, floor: str, ceiling: str) -> Position | None:
    """Return the position of a system between two others; None if the ceiling is not above."""
    low, values, high = (study.values_of(name, measure) for name in (floor, system, ceiling))
    answered = ~np.isnan(low + values + high)
    if not answered.any():
        return None
    low_mean, mean, high_mean = (float(part[answered].mean()) for part in (low, values, high))
    gap = high_mean - low_mean
    is_higher_better = study.catalogue.spec(measure).higher_is_better is not False
    if gap == 0 or (gap > 0) != is_higher_better:
        return None
    share = (mean - low_mean) / gap
    residuals = np.where(answered, (values - low - share * (high - low)) / gap, np.nan)
    error = mean_of_values(study, residuals)
    position = Signed(share)
    if error is not None and error.low is not None and error.high is not None:
        position = Signed(share, share + error.low, share + error.high)
    return Position(measure, system, low_mean, mean, high_mean, position)
