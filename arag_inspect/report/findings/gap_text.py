"""Differences between two systems in words."""

from collections.abc import Sequence
from itertools import product

from ..._util.wording import format_count, join_names
from ...measure import MeasureSpec
from ...stats.power import clusters_needed
from ..comparison.basis import counted_groups, on_samples
from ..comparison.comparisons import TOO_FEW, Comparison, all_comparisons
from ..comparison.means import mean_of_measure
from ..comparison.pairs import contestants, family_of
from ..labels import EARLIER, MOST_NAMED, in_sentence
from ..study import Study
from ..table import show


def describe_difference(study: Study, pair: Comparison) -> str:
    """Return the size of a difference that is not shown, e.g. `A over B, +0.1 [-0.1, +0.3]`."""
    paired = pair.paired
    is_same_name = pair.b == pair.a + EARLIER
    first, second = ("new", "earlier") if is_same_name else (pair.a, pair.b)
    relation = "behind" if pair.measure.sign * paired.difference < 0 else "over"
    excludes_zero = (paired.low or 0) * (paired.high or 0) > 0
    reason = f", but {_reason(study, pair)}" if pair.doubt and excludes_zero else ""
    return f"{first} {relation} {second}, {describe_gap(study, pair, pair.b)}{reason}"


def describe_gap(study: Study, pair: Comparison, baseline: str) -> str:
    """Return the difference to one of two systems, with its samples if no finding states them.

    For a change between two runs, also return how many samples got better and worse, e.g. `+0.1
    [-0.1, +0.3], 3 better, 1 worse of 12`.
    """
    paired = pair.paired
    difference = pair.seen_from(baseline)
    gap = show(difference._replace(why=""))
    gap += on_samples(paired.n, study, pair.measure.key, pair.a, pair.b)
    if difference.why:
        gap += f", {difference.why}"
    if not study.choices.is_change:
        return gap
    better, worse = paired.wins, paired.losses
    if pair.measure.sign < 0:
        better, worse = worse, better
    return f"{gap}, {better:,} better, {worse:,} worse of {paired.n:,}"


def unbeaten_systems(
    study: Study, measure: MeasureSpec, won_pairs: Sequence[Comparison]
) -> list[str]:
    """Return the contestants with a value of a measure that no other is shown to beat."""
    beaten_systems = {pair.loser for pair in won_pairs}
    return [
        name
        for name in contestants(study)
        if name not in beaten_systems and mean_of_measure(study, name, measure.key)
    ]


def describe_groups(study: Study, measure: MeasureSpec, won_pairs: Sequence[Comparison]) -> str:
    """State how many systems are unbeaten on a measure, and how many are worse than all of these.

    E.g. `coverage 4 of 6 are unbeaten, 2 are worse than all of them`.
    """
    unbeaten = unbeaten_systems(study, measure, won_pairs)
    beaten_systems = {pair.loser for pair in won_pairs}
    losses = {(pair.loser, pair.winner) for pair in won_pairs}
    worse = [name for name in beaten_systems if losses.issuperset(product([name], unbeaten))]
    is_partial = family_of(study).partial
    text = f"{in_sentence(measure)}{', compared within each model,' if is_partial else ''}"
    text += f" {len(unbeaten)} of {len(unbeaten) + len(beaten_systems)}"
    text += " are unbeaten" if len(unbeaten) > 1 else " is unbeaten"
    if len(unbeaten) <= MOST_NAMED:
        text += f" ({join_names(unbeaten)})"
    if not is_partial:
        pronoun = {1: "it", 2: "both"}.get(len(unbeaten), "all of them")
        text += (
            f", {len(worse) or 'no other'} {'are' if len(worse) > 1 else 'is'} worse than {pronoun}"
        )
    return text


def _reason(study: Study, pair: Comparison) -> str:
    """Return why a difference is not shown, with the groups needed if there are too few."""
    doubt = pair.doubt or ""
    if not doubt.startswith(TOO_FEW):
        return doubt
    comparisons = sum(other.role == pair.role for other in all_comparisons(study))
    needed = (
        f"{clusters_needed(comparisons)} are needed for {format_count(comparisons, 'comparison')}"
    )
    groups = counted_groups(pair.paired.clusters, study)
    return f"{groups} are too few to show a difference ({needed})"
