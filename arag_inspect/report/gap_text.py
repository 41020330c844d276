"""Differences between two systems in words."""

from .._util.wording import counted
from ..stats.power import clusters_needed
from .basis import counted_groups, on_samples
from .comparisons import TOO_FEW, Comparison, compared
from .labels import EARLIER
from .study import Study
from .table import show


def describe_difference(study: Study, pair: Comparison) -> str:
    """Return the size of a difference that is not shown, e.g. `A over B, +0.1 [-0.1, +0.3]`."""
    paired = pair.paired
    is_same_name = pair.b == pair.a + EARLIER
    first, second = ("new", "earlier") if is_same_name else (pair.a, pair.b)
    sign = -1 if pair.measure.higher_is_better is False else 1
    relation = "behind" if sign * paired.difference < 0 else "over"
    excludes_zero = (paired.low or 0) * (paired.high or 0) > 0
    reason = f", but {_reason(study, pair)}" if pair.doubt and excludes_zero else ""
    return f"{first} {relation} {second}, {describe_gap(study, pair, pair.b)}{reason}"


def _reason(study: Study, pair: Comparison) -> str:
    """Return why a difference is not shown, with the groups needed if there are too few."""
    doubt = pair.doubt or ""
    if not doubt.startswith(TOO_FEW):
        return doubt
    comparisons = sum(other.role == pair.role for other in compared(study))
    needed = f"{clusters_needed(comparisons)} are needed for {counted(comparisons, 'comparison')}"
    groups = counted_groups(pair.paired.clusters, study)
    return f"{groups} are too few to show a difference ({needed})"


def describe_gap(study: Study, pair: Comparison, baseline: str) -> str:
    """Return the difference to one of two systems with its samples, as far as these need saying.

    Of two runs, also how many samples got better and worse, e.g. `+0.1 [-0.1, +0.3], 3 better, 1
    worse of 12`.
    """
    paired = pair.paired
    gap = show(pair.seen_from(baseline)[1])
    gap += on_samples(paired.n, study, pair.measure.key, pair.a, pair.b)
    if not study.choices.is_change:
        return gap
    is_lower_better = pair.measure.higher_is_better is False
    better, worse = (
        (paired.losses, paired.wins) if is_lower_better else (paired.wins, paired.losses)
    )
    return f"{gap}, {better:,} better, {worse:,} worse of {paired.n:,}"
