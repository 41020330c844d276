"""Self-consistency of judges: the same answers judged again."""

from typing import NamedTuple

import numpy as np

from ...stats.estimates import Estimate, estimate
from ...types.measures import MeasureSpec
from ..load.records import Benchmark, Run


class Consistency(NamedTuple):
    """A measure taken again on the same answers of one system."""

    measure: MeasureSpec
    system: str
    change: Estimate
    """Mean of repetition minus first value: change of the system's mean when only judging is
    repeated.
    """

    absolute: float
    """Mean absolute change of a sample."""

    exact: float
    """Share of samples with the same value."""

    @property
    def floor(self) -> float:
        """Largest difference of means explained by judging again.

        The larger end of the change's interval.
        """
        ends = (self.change.low, self.change.high, self.change.mean)
        return max(abs(end) for end in ends if end is not None)


def consistencies(benchmark: Benchmark) -> tuple[Consistency, ...]:
    """Return every repeated measure by system."""
    return tuple(
        consistency
        for name in benchmark.measures
        for run in benchmark.runs
        if (consistency := _consistency(run, benchmark.spec(name))) is not None
    )


def noise_floors(retests: tuple[Consistency, ...]) -> dict[str, float]:
    """Return the largest noise floor of any system, by measure."""
    floors: dict[str, float] = {}
    for retest in retests:
        floors[retest.measure.key] = max(floors.get(retest.measure.key, 0.0), retest.floor)
    return floors


def _consistency(run: Run, measure: MeasureSpec) -> Consistency | None:
    changes, companies = [], []
    for sample in run.samples:
        first, scoring = sample.value(measure.key), sample.scorings.get(measure.scorer)
        if first is None or scoring is None:
            continue
        again = [repeat[measure.key] for repeat in scoring.repeats if measure.key in repeat]
        changes += [value - first for value in again]
        companies += [sample.company or sample.id] * len(again)
    if not changes:
        return None
    differences = np.array(changes)
    clusters = np.unique(companies, return_inverse=True)[1].astype(np.int64)
    return Consistency(
        measure,
        run.system,
        change=estimate(differences, clusters),
        absolute=float(np.abs(differences).mean()),
        exact=float((np.abs(differences) < measure.tie).mean()),
    )
