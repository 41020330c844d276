"""Positions of systems between the closed book and the oracle of their model."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..labels import BOUNDS
from ..study import Study
from ..table import Signed
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

    Positions use the samples common to all three. The interval is that of the ratio of two means
    over companies (linearised). If the ceiling is not above the floor, there is no position.

    Args:
        study: What is compared.
        only: The only measure; None for the primary ones and the share of facts stated.
    """
    deciding = (*primary_measures(study), study.catalogue.key_of("facts stated"))
    keys = [key for key in deciding if key in study.catalogue.keys]
    measures = [only] if only else list(dict.fromkeys(keys))
    for measure in measures:
        for run in study.rows:
            low, high = (_bound(study, solver, run.model) for solver in BOUNDS[:2])
            if run.solver in BOUNDS or low is None or high is None:
                continue
            floor, system_values, ceiling = (
                study.values_of(name, measure) for name in (low, run.system, high)
            )
            answered = ~np.isnan(floor + system_values + ceiling)
            if not answered.any():
                continue
            floor_mean, mean, ceiling_mean = (
                float(values[answered].mean()) for values in (floor, system_values, ceiling)
            )
            gap = ceiling_mean - floor_mean
            is_higher_better = study.catalogue.spec(measure).higher_is_better is not False
            if gap == 0 or (gap > 0) != is_higher_better:
                continue
            share = (mean - floor_mean) / gap
            residuals = np.where(
                answered, (system_values - floor - share * (ceiling - floor)) / gap, np.nan
            )
            error = mean_of_values(study, residuals)
            position = Signed(share)
            if error is not None and error.low is not None and error.high is not None:
                position = Signed(share, share + error.low, share + error.high)
            yield Position(measure, run.system, floor_mean, mean, ceiling_mean, position)


def _bound(study: Study, solver: str, model: str) -> str | None:
    return next(
        (run.system for run in study.rows if (run.solver, run.model) == (solver, model)), None
    )
