"""Repeated measurements of the same answers, and the judging noise that they show."""

from typing import NamedTuple

import numpy as np

from ...measure import MeasureSpec
from ...stats.estimates import Estimate, Floats, estimate
from ...stats.strata import cluster_codes
from ..cells import Share, Signed
from ..study import Study, cached_per_study
from .primary import primary_measures


class Retest(NamedTuple):
    """A measure repeated on the same answers of one system."""

    measure: MeasureSpec
    system: str
    changes: Floats
    """Repetition minus first value, for each answer and repetition."""

    mean: Estimate
    """Mean change: the change of the system's mean when only judging is repeated."""

    @property
    def change(self) -> Signed:
        """The mean change with its interval."""
        return Signed(self.mean.mean, self.mean.low, self.mean.high)

    @property
    def same(self) -> Share:
        """Share of the answers with the same value."""
        return Share(float((np.abs(self.changes) < self.measure.tie).mean()))

    @property
    def floor(self) -> float:
        """Largest difference of means explained by judging again: the interval's larger end."""
        ends = (self.mean.low, self.mean.high, self.mean.mean)
        return max(abs(end) for end in ends if end is not None)


@cached_per_study
def retests(study: Study) -> tuple[Retest, ...]:
    """Return every repeated measure by system."""
    if study.repeats.empty:
        return ()
    first = study.scores[["answer", "measure", "value"]].dropna()
    both = study.repeats.merge(first, on=["answer", "measure"], suffixes=("", "_first"))
    both["change"] = both["value"] - both["value_first"]
    both["cluster"] = cluster_codes(both["company"], both["id"])
    results = []
    for name in study.catalogue.keys:
        repeated = both[both["measure"] == name].dropna(subset=["change"])
        for system, rows in study.by_system(repeated):
            if len(rows):
                changes = rows["change"].to_numpy(float)
                mean = estimate(changes, rows["cluster"].to_numpy())
                results.append(Retest(study.catalogue.spec(name), system, changes, mean))
    return tuple(results)


@cached_per_study
def primary_retests(study: Study) -> list[Retest]:
    """Return the system whose mean changes most, for each primary measure that was repeated."""
    largest: dict[str, Retest] = {}
    for retest in sorted(retests(study), key=lambda retest: abs(retest.mean.mean)):
        largest[retest.measure.key] = retest
    return [largest[name] for name in primary_measures(study) if name in largest]


def noise_floors(study: Study) -> dict[str, float]:
    """Return the largest noise floor of any system, by measure."""
    rising = sorted(retests(study), key=lambda retest: retest.floor)
    # the largest floor of a measure replaces earlier floors
    return {retest.measure.key: retest.floor for retest in rising}
