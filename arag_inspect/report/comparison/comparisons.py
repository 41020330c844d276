"""Pairwise comparisons of systems."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from ..._util.wording import format_count, plural
from ...measure import MeasureSpec, Role
from ...stats.estimates import RESAMPLES, Paired
from ...stats.multiple_tests import benjamini_hochberg, holm
from ...stats.power import ALPHA, clusters_needed, samples_for, smallest_detectable
from ..cells import Signed
from ..study import Study, cached_per_study
from .basis import counted_groups
from .comparability import compare_pair, pair_values, same_question, without_empty_interval
from .contestants import family_of, fixed_baseline
from .primary import primary_measures, role_of
from .retests import noise_floors

_MOST_RESAMPLES = 99_999
_SAME_ON_ALL = "the same on every sample"

DoubtKind = Literal[
    "measured differently",
    "other questions",
    "one sample",
    "one group",
    "no sample differs",
    "spans zero",
    "too few groups",
    "p",
    "noise",
]
"""In order of importance."""

_UNLIKE: tuple[DoubtKind, ...] = ("measured differently", "other questions")
INCOMPARABLE: tuple[DoubtKind, ...] = (*_UNLIKE, "one sample")
"""Doubts that rule out a comparison of two systems."""


class Doubt(NamedTuple):
    """Why no winner is named."""

    kind: DoubtKind
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Comparison:
    """A comparison of two systems on one measure."""

    measure: MeasureSpec
    role: Role
    a: str
    """The system with the better mean, or the one that is compared with a fixed baseline."""

    b: str
    paired: Paired
    left_out: int
    """Samples that do not count: they were measured differently, or have another question."""

    p_adjusted: float = math.nan
    """p corrected over the comparisons of its role: Holm for primary, Benjamini and Hochberg for
    secondary measures.
    """

    detectable: float | None = None
    """Difference that would have been detected with 80 % power; None if no possible one would."""

    doubt: Doubt | None = None
    """Why no winner is named."""

    @property
    def is_alike(self) -> bool:
        """Whether both systems were asked and measured alike on any sample."""
        return self.doubt is None or self.doubt.kind not in _UNLIKE

    @property
    def is_comparable(self) -> bool:
        """Whether no doubt rules out the comparison."""
        return self.doubt is None or self.doubt.kind not in INCOMPARABLE

    @property
    def is_same_on_all(self) -> bool:
        """Whether the difference is shown and the same on every sample."""
        return self.paired.low is not None and self.paired.low == self.paired.high

    @property
    def needed(self) -> int | None:
        """Samples needed to show a difference of this size with 80 % power; None if level."""
        if self.is_level:
            return None
        needed = samples_for(self.paired, self.paired.difference)
        if needed is None or not self.paired.differing:
            return needed
        # a permutation test needs this many clusters that differ, not only that many
        samples_per_differing = self.paired.n / self.paired.differing
        return max(needed, math.ceil(clusters_needed(1) * samples_per_differing))

    @property
    def is_level(self) -> bool:
        """Whether both systems have the same mean."""
        return abs(self.paired.difference) <= self.measure.tie

    @property
    def behind(self) -> str:
        """The system with the worse mean, whether or not the difference is shown."""
        is_lower = self.paired.difference < 0
        return self.a if is_lower == (self.measure.sign > 0) else self.b

    @property
    def winner(self) -> str | None:
        """The better system, if the difference is shown."""
        return self.other(self.behind) if self.doubt is None else None

    @property
    def loser(self) -> str | None:
        """The worse system, if the difference is shown."""
        return self.behind if self.doubt is None else None

    def other(self, system: str) -> str:
        """Return the other system of the pair."""
        return self.b if system == self.a else self.a

    def seen_from(self, baseline: str) -> Signed:
        """Return the difference of the other system to a system of the pair."""
        paired = self.paired if baseline == self.b else self.paired.swap()
        why = _SAME_ON_ALL if self.is_same_on_all else ""
        if paired.low is None and self.doubt:
            why = self.doubt.text
        return Signed(paired.difference, paired.low, paired.high, why)

    @property
    def verdict(self) -> str:
        """The better system, or why no difference is shown."""
        return f"{self.winner} is better" if self.winner else f"not shown: {self.doubt}"


@cached_per_study
def all_comparisons(study: Study) -> tuple[Comparison, ...]:
    """Compare the systems on the primary measures, then on the secondary ones."""
    return compare_systems(study, noise_floors(study), primary_measures(study))


def primary_pairs(study: Study, measure: MeasureSpec | None = None) -> list[Comparison]:
    """Return the primary comparisons, on one measure or on all."""
    primary = [pair for pair in all_comparisons(study) if pair.role == "primary"]
    if measure is None:
        return primary
    return [pair for pair in primary if pair.measure.key == measure.key]


def describe_pairs(study: Study) -> str:
    """Describe which pairs of systems are compared, and the number of comparisons."""
    family = family_of(study)
    primary = format_count(len(primary_pairs(study)), "primary comparison")
    remedy = "; report --baseline SYSTEM compares each with one more" if family.partial else ""
    return (
        f"Compared: {family.rule} ({format_count(len(family.pairs), 'pair')}, {primary}){remedy}."
    )


def compare_systems(
    study: Study,
    floors: Mapping[str, float],
    primary: Sequence[str],
    *,
    resamples: int = RESAMPLES,
) -> tuple[Comparison, ...]:
    """Compare pairs of systems on every primary and secondary measure.

    The primary comparisons are one family, corrected by Holm's method; the secondary ones are
    exploratory, corrected by Benjamini and Hochberg's. A winner is named only if the 95 % interval
    of the difference excludes zero, p after correction is below 0.05, the difference exceeds the
    change from judging again (the noise floor, if measured), and both were measured the same way.
    Differences are those of the better system to the worse one, or to the fixed baseline.

    Args:
        study: Runs to compare.
        floors: Noise floor by measure, in its own unit.
        primary: Names of the primary measures.
        resamples: Minimum number of random swaps; many comparisons use more.
    """
    pairs = family_of(study).pairs
    specs = map(study.catalogue.spec, primary)
    families: dict[Role, list[MeasureSpec]] = {
        "primary": [spec for spec in specs if spec.is_quality],
        "secondary": [
            spec for spec in study.catalogue.specs if role_of(spec, primary) == "secondary"
        ],
    }
    results: list[Comparison] = []
    for role, measures in families.items():
        swaps = swaps_for(len(pairs) * len(measures), resamples)
        family = list(compare_uncorrected(study, role, measures, swaps))
        correct = holm if role == "primary" else benjamini_hochberg
        corrected = correct([pair.paired.p for pair in family])
        for uncorrected, p in zip(family, corrected, strict=True):
            detectable = _detectable(uncorrected, len(family))
            pair = replace(uncorrected, p_adjusted=p, detectable=detectable)
            floor = floors.get(pair.measure.key, -1.0)
            doubt = next(_doubts(study, pair, floor, len(family)), None)
            results.append(replace(pair, doubt=doubt))
    return tuple(results)


def compare_uncorrected(
    study: Study, role: Role, measures: Sequence[MeasureSpec], resamples: int = RESAMPLES
) -> Iterator[Comparison]:
    """Yield the comparison of each pair of systems that share a sample, the better system first."""
    for measure in measures:
        for a, b in family_of(study).pairs:
            paired = compare_pair(study, a, b, measure.key, resamples=resamples)
            if paired is not None:
                paired = without_empty_interval(paired, paired.clusters)
                oriented = better_first(study, a, b, paired, measure.sign)
                left_out = pair_values(study, a, b, measure.key).left_out
                yield Comparison(measure, role, *oriented, left_out)


def better_first(
    study: Study, a: str, b: str, paired: Paired, sign: int
) -> tuple[str, str, Paired]:
    """Put the better of two systems first, or the one that is compared with a fixed baseline."""
    is_behind = sign * paired.difference < 0
    if is_behind and fixed_baseline(study) not in (a, b):
        return b, a, paired.swap()
    return a, b, paired


def swaps_for(comparisons: int, resamples: int = RESAMPLES) -> int:
    """Return how many random swaps keep the smallest p, times all comparisons, below 0.05."""
    return min(_MOST_RESAMPLES, max(resamples, 40 * comparisons))


def clusters_short_of(comparisons: Sequence[Comparison]) -> int | None:
    """Return the groups of samples that the primary comparisons need; None if they suffice."""
    primary = [pair for pair in comparisons if pair.role == "primary"]
    needed = clusters_needed(len(primary)) if primary else 0
    return needed if primary and all(pair.paired.clusters < needed for pair in primary) else None


def _detectable(pair: Comparison, comparisons: int) -> float | None:
    """Return the smallest difference that Holm's strictest step would have detected.

    None if it exceeds the span of the scale, so that no difference would have been detected.
    """
    if pair.paired.clusters < clusters_needed(comparisons):
        return None
    difference = smallest_detectable(pair.paired, alpha=ALPHA / comparisons)
    span = pair.measure.range_width
    is_impossible = difference is not None and span is not None and difference > span
    return None if is_impossible else difference


def _doubts(study: Study, pair: Comparison, floor: float, comparisons: int) -> Iterator[Doubt]:
    """Yield why no winner is named, most important first; an unknown noise floor is negative."""
    paired = pair.paired
    p = pair.p_adjusted
    if pair_values(study, pair.a, pair.b, pair.measure.key).nowhere_alike:
        if _share_a_question(study, pair):
            yield Doubt("measured differently", "measured differently")
        else:
            yield Doubt("other questions", "other questions under the same ids")
    if paired.n == 1 < len(study.sample_ids):
        yield Doubt("one sample", "only one sample is shared")
    if paired.clusters < 2:
        yield Doubt("one group", f"all samples are from one {study.cluster}")
    elif not (paired.wins or paired.losses):
        yield Doubt("no sample differs", "no sample differs")
    elif paired.spans_zero:
        yield Doubt("spans zero", "the interval spans zero")
    if p >= ALPHA and paired.clusters < clusters_needed(comparisons):
        yield Doubt("too few groups", f"too few {plural(study.cluster)}")
    elif p >= ALPHA:
        how = "after correction" if comparisons > 1 else "by randomisation"
        yield Doubt("p", describe_p(study, pair, how))
    if abs(paired.difference) <= floor:
        yield Doubt("noise", "the judge's own noise is as large")


def describe_p(study: Study, pair: Comparison, how: str) -> str:
    """Return the corrected p of a difference in words, with how it was computed."""
    return f"p is {pair.p_adjusted:.3f} {how}{_floor_of_p(study, pair.paired)}"


def _share_a_question(study: Study, pair: Comparison) -> bool:
    """Return whether two systems have values for the same question on any sample."""
    values = pair_values(study, pair.a, pair.b, pair.measure.key)
    is_shared = ~np.isnan(values.a + values.b)
    return bool((same_question(study, pair.a, pair.b) & is_shared).any())


def _floor_of_p(study: Study, paired: Paired) -> str:
    """Return a clause if too few groups differ for any p below 0.05, even without correction."""
    if not 0 < paired.differing < clusters_needed(1):
        return ""
    groups = counted_groups(paired.differing, study)
    return f" and cannot be below {ALPHA} with a difference in only {groups}"
