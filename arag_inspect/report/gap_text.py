"""Differences between two systems in words."""

from .basis import on_samples
from .comparisons import Comparison
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
    reason = f", but {pair.doubt}" if pair.doubt and excludes_zero else ""
    return f"{first} {relation} {second}, {describe_gap(study, pair, pair.b)}{reason}"


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
