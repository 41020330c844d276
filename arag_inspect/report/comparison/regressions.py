"""Measures on which an unbeaten system or the newer run is worse, and changes of its effort."""

from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from ...stats.estimates import Floats, Paired, paired_difference
from ...stats.power import ALPHA, clusters_needed
from ..study import Study, cached_per_study
from .comparability import without_empty_interval
from .comparisons import Comparison, all_comparisons, compare_uncorrected, primary_pairs
from .contestants import fixed_baseline
from .correctness import correctness_measures
from .effort import concurrent_systems, timed_at_once
from .leads import largest_lead, unbeaten_systems, won_pairs
from .primary import primary_measures
from .retests import noise_floors

Effort = Literal["cost_usd", "tokens", "latency_ms"]
"""Columns of the answers."""

_LEAST_RATIO = 1.1
"""Smallest ratio of two costs or times that is reported."""

_LEAST_DELAY = 1.0
"""Smallest change of a time that is reported, in ms; the harness causes smaller changes."""

_LARGE_SHARE = 0.5
"""Share of a scale from which a difference is reported whatever its interval."""


class SharedChange(NamedTuple):
    """Number of groups, or samples of a single group, with a change in one direction."""

    changed: int
    of: int
    is_by_group: bool
    """Whether groups are counted."""


class EffortChange(NamedTuple):
    """A change of the effort of an answer, from the earlier run to the new run."""

    effort: Effort
    before: float
    after: float
    shared: SharedChange | None
    """Who shares it; None if it is beyond its interval, or the same on every sample."""

    @property
    def is_rise(self) -> bool:
        """Whether the effort rose, rather than fell."""
        return self.after > self.before


def regressions(study: Study, stated: Collection[str]) -> list[Comparison]:
    """Return the comparisons that show where an unbeaten system or the newer run is worse.

    It is worse if the interval excludes zero, or by half of the scale, or by the same on every
    sample (few samples that all got worse have no interval). An interval of the whole scale shows
    nothing. Without a lead or a baseline, every system is unbeaten.

    Args:
        study: Systems that are compared.
        stated: Measures to leave out.

    Returns:
        One comparison per measure: right answers first, then differences of half the scale, last
        those whose interval includes zero.
    """
    of_right_answers = correctness_measures(study)

    def rank(pair: Comparison) -> tuple[bool, bool, bool, float]:
        is_other = pair.measure not in of_right_answers
        return pair.paired.spans_zero, is_other, not _is_large(pair), pair.paired.p

    worst: dict[str, Comparison] = {}
    for pair in sorted(_losses(study), key=rank):
        if pair.measure.key not in stated:
            worst.setdefault(pair.measure.key, pair)
    return list(worst.values())


@cached_per_study
def losses_of_winner(study: Study) -> tuple[Comparison, ...]:
    """Return where the winner is shown to be worse on another primary measure, the largest on each.

    Empty without a winner.
    """
    lead = largest_lead(study)
    largest: dict[str, Comparison] = {}
    for pair in primary_pairs(study):
        is_loss = lead is not None and pair.loser == lead.winner
        if is_loss and abs(pair.paired.difference) > _size_of(largest.get(pair.measure.key)):
            largest[pair.measure.key] = pair
    return tuple(largest.values())


@cached_per_study
def grave_regression(study: Study) -> Comparison | None:
    """Return a loss of half the scale that the headline must state; None without one.

    It is on a measure of answers that does not decide, and of the system that wins, of one that
    beats it on another primary measure or, without a winner, of any system.
    """
    winners = _winners(study)
    left_out = {*primary_measures(study), *study.catalogue.assumed}
    for pair in regressions(study, left_out):
        is_of_winner = pair.behind in winners or not winners
        if is_of_winner and _is_grave(pair):
            return pair
    return None


def grave_gains(study: Study) -> list[Comparison]:
    """Return the gains of half the scale over a baseline on measures that do not decide."""
    baseline = fixed_baseline(study)
    left_out = {*primary_measures(study), *study.catalogue.assumed}
    return [
        pair
        for pair in all_comparisons(study)
        if pair.behind == baseline and pair.measure.key not in left_out and _is_grave(pair)
    ]


def effort_changes(study: Study, stated: Collection[str]) -> Iterator[EffortChange]:
    """Yield how the cost, or else the tokens, and the time changed by a tenth or more.

    They changed beyond their interval, by the same on every sample, or in most groups. A time
    measured while other samples ran does not count: what else the process did changes all of them.

    Args:
        study: Two runs, the new one first.
        stated: Measures to leave out.
    """
    is_cost_stated = study.catalogue.key_of("cost") in stated
    is_cost_known = bool(study.finished["cost_usd"].notna().any())
    stated_efforts: dict[Effort, bool] = {
        "cost_usd": is_cost_stated,
        "tokens": is_cost_stated or is_cost_known,
        "latency_ms": study.catalogue.key_of("latency") in stated,
    }
    is_timed_at_once = bool(timed_at_once(study) or concurrent_systems(study))
    for effort, is_stated in stated_efforts.items():
        paired = _effort_change(study, effort)
        if paired is None or is_stated or (effort == "latency_ms" and is_timed_at_once):
            continue
        before, after = paired.mean_b, paired.mean_a
        is_small = max(before, after) < _LEAST_RATIO * min(before, after)
        is_unseen = effort == "latency_ms" and abs(after - before) < _LEAST_DELAY
        if not before or is_small or is_unseen:
            continue
        new, earlier = _efforts(study, effort)
        shared = _share_rise(study, new - earlier if after > before else earlier - new)
        excludes_zero = (paired.low or 0) * (paired.high or 0) > 0
        if _is_uniform(paired) or excludes_zero:
            yield EffortChange(effort, before, after, None)
        elif shared:
            yield EffortChange(effort, before, after, shared)


def _effort_change(study: Study, effort: Effort) -> Paired | None:
    """Return the change of the effort of an answer between the runs, without p."""
    new, earlier = _efforts(study, effort)
    paired = paired_difference(new, earlier, study.clusters, resamples=1)
    return paired and without_empty_interval(paired, paired.clusters)


def latency_changes(study: Study) -> Floats:
    """Return the change on each sample whose time is known in both runs, shape (samples,)."""
    new, earlier = _efforts(study, "latency_ms")
    by_sample = new - earlier
    differences: Floats = by_sample[~np.isnan(by_sample)]
    return differences


def _efforts(study: Study, effort: Effort) -> Floats:
    """Return what an answer to each sample takes, shape (systems, samples); NaN if unknown."""
    by_sample = study.finished.groupby(["id", "system"])[effort].mean().unstack("system")
    aligned = by_sample.reindex(index=list(study.sample_ids), columns=list(study.systems))
    efforts: Floats = aligned.to_numpy(float).T
    return efforts


def _share_rise(study: Study, rises: Floats) -> SharedChange | None:
    """Return how many groups share a rise; None if too few do.

    All groups must share it if fewer than six; else p of a sign test must be below 0.05. If
    all samples are of one group, samples are counted.

    Args:
        study: Systems that are compared.
        rises: Difference on each sample, shape (samples,); NaN if unknown.
    """
    is_known = ~np.isnan(rises)
    groups = study.clusters[is_known]
    is_by_group = 1 < len(set(groups)) < len(groups)
    means = pd.Series(rises[is_known].round(12))  # sums of equal amounts differ in their last bits
    if is_by_group:
        means = means.groupby(groups).mean()
    count = len(means)
    risen = int((means > 0).sum())
    if count < 2 or not _is_shared(risen, int((means < 0).sum()), count):
        return None
    return SharedChange(risen, count, is_by_group)


def _is_shared(risen: int, fallen: int, groups: int) -> bool:
    """Return whether nearly all of several groups rose."""
    from scipy.stats import binomtest  # slow to import

    if groups < clusters_needed(1):
        return risen == groups
    return risen > fallen and binomtest(risen, risen + fallen).pvalue < ALPHA


def _losses(study: Study) -> Iterator[Comparison]:
    """Yield the comparisons lost by the new run or, without one, by an unbeaten system."""
    baseline = fixed_baseline(study)
    unbeaten = _unbeaten(study)
    floors = noise_floors(study)
    for pair in (*all_comparisons(study), *_more_wrong_answers(study)):
        low, high = pair.paired.low or 0.0, pair.paired.high or 0.0
        is_beyond = abs(pair.paired.difference) > floors.get(pair.measure.key, 0)
        is_shown = low * high > 0 or _is_uniform(pair.paired) or _is_large(pair)
        if not (is_beyond and is_shown and pair.is_alike):
            continue
        is_choice = pair.behind != baseline if baseline else pair.behind in unbeaten
        if is_choice:
            yield pair


def _more_wrong_answers(study: Study) -> Iterator[Comparison]:
    """Yield where a system gives more wrong answers without giving fewer right ones.

    Such a system answers wrongly what another declines to answer.
    """
    right = study.catalogue.key_of("correctness")
    wrong = study.catalogue.spec(study.catalogue.key_of("wrong answers"))
    if right not in primary_measures(study):
        return
    behind = {
        frozenset((pair.a, pair.b)): pair.behind
        for pair in primary_pairs(study, study.catalogue.spec(right))
        if not pair.is_level
    }
    for pair in compare_uncorrected(study, "diagnostic", [wrong]):
        if behind.get(frozenset((pair.a, pair.b))) != pair.behind:
            yield pair


def _unbeaten(study: Study) -> set[str]:
    """Return the systems that no other beats on the measure of the headline, and all winners."""
    lead = largest_lead(study)
    if lead is None:
        return set(study.systems)
    return {*unbeaten_systems(study, lead.measure, won_pairs(study)), *_winners(study)}


def _winners(study: Study) -> set[str]:
    """Return the winner, and the systems that beat it on another primary measure."""
    lead = largest_lead(study)
    winner = lead.winner if lead else None
    if winner is None:
        return set()
    return {winner, *(pair.other(winner) for pair in losses_of_winner(study))}


def _is_grave(pair: Comparison) -> bool:
    """Return whether a difference on a measure of answers is shown, and half of the scale."""
    is_of_answers = pair.measure.family != "retrieval" and pair.is_alike
    is_shown = pair.paired.n > 1 and not pair.paired.spans_zero
    return is_of_answers and is_shown and _is_large(pair)


def _is_large(pair: Comparison) -> bool:
    """Return whether a difference is half of the scale or more, and its interval not all of it."""
    paired = pair.paired
    span = pair.measure.range_width
    if span is None or abs(paired.difference) < _LARGE_SHARE * span:
        return False
    return paired.low is None or paired.high is None or paired.high - paired.low < 2 * span


def _size_of(pair: Comparison | None) -> float:
    """Return the size of a difference; 0 without one."""
    return abs(pair.paired.difference) if pair else 0.0


def _is_uniform(paired: Paired) -> bool:
    """Return whether two systems differ by the same on every one of several samples."""
    return paired.n > 1 and paired.difference != 0 and paired.deviation == 0
