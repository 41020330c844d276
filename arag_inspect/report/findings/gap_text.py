"""Differences between two systems in words."""

from collections import Counter
from collections.abc import Sequence
from itertools import product

from ..._util.wording import format_count, join_names
from ...measure import MeasureSpec
from ...stats.power import clusters_needed
from ..cells import P, Signed, show
from ..comparison.basis import counted_groups, on_samples
from ..comparison.comparisons import (
    Comparison,
    Doubt,
    all_comparisons,
    clusters_short_of,
    describe_p,
    primary_pairs,
)
from ..comparison.contestants import family_of, fixed_baseline
from ..comparison.leads import largest_of, unbeaten_systems
from ..comparison.sweeps import contrasts, model_leads
from ..labels import EARLIER, MOST_NAMED, in_sentence, verb_of
from ..study import Study


def describe_difference(study: Study, pair: Comparison) -> str:
    """Return the size of a difference that is not shown, e.g. `A over B, +0.1 [-0.1, +0.3]`."""
    paired = pair.paired
    is_same_name = pair.b == pair.a + EARLIER
    first, second = ("new", "earlier") if is_same_name else (pair.a, pair.b)
    relation = "behind" if pair.measure.sign * paired.difference < 0 else "over"
    excludes_zero = (paired.low or 0) * (paired.high or 0) > 0
    reason = f", but {_reason(study, pair, pair.doubt)}" if pair.doubt and excludes_zero else ""
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


def compared_pairs(study: Study) -> str:
    """Return which systems are compared, as a clause; empty if all are compared with each other."""
    if not family_of(study).partial:
        return ""
    baseline = fixed_baseline(study)
    return f" between systems with the same model{f', or with {baseline}' if baseline else ''}"


def too_few_groups(study: Study) -> str:
    """State how many groups of samples any winner needs; empty if there are enough."""
    primary = primary_pairs(study)
    needed = clusters_short_of(primary)
    if needed is None:
        return ""
    clusters = max(pair.paired.clusters for pair in primary)
    comparisons = format_count(len(primary), "primary comparison")
    text = f"{counted_groups(clusters, study)} cannot show a difference"
    text += f"; {needed} or more are needed for {comparisons}"
    if clusters < clusters_needed(1):
        return text
    if len({(pair.a, pair.b) for pair in primary}) == 1:
        return f"{text}; with --primary NAME, fewer are"
    return f"{text}; with fewer systems, or --primary NAME, fewer are"


def describe_groups(
    study: Study,
    measure: MeasureSpec,
    won_pairs: Sequence[Comparison],
    *,
    with_cost: bool = False,
) -> str:
    """State how many systems are unbeaten, how many are worse than all of these, the largest lead.

    E.g. `coverage 4 of 6 are not shown to be worse than another, 2 are worse than all of them;
    largest lead: A over B (+1)`.
    """
    unbeaten = unbeaten_systems(study, measure, won_pairs)
    beaten_systems = {pair.loser for pair in won_pairs}
    losses = {(pair.loser, pair.winner) for pair in won_pairs}
    worse = [name for name in beaten_systems if losses.issuperset(product([name], unbeaten))]
    is_partial = family_of(study).partial
    text = f"{in_sentence(measure)}{', compared within each model,' if is_partial else ''}"
    systems = len(unbeaten) + len(beaten_systems)
    text += f" {len(unbeaten)} of {systems} are not shown to be worse than another"
    if len(unbeaten) <= MOST_NAMED:
        text += f" ({join_names(unbeaten)})"
    if not is_partial:
        pronoun = "both" if len(unbeaten) == 2 else "all of them"
        verb = "are" if len(worse) > 1 else "is"
        text += f", {len(worse) or 'no other'} {verb} worse than {pronoun}"
    lead = largest_of(study, won_pairs)
    gap = describe_lead(study, lead, with_cost=with_cost)
    return f"{text}; largest lead: {lead.winner} over {lead.loser} ({gap})"


def describe_wins(study: Study, wins: Sequence[Comparison], *, with_cost: bool = False) -> str:
    """Name the systems that one system beats: `A covers more than B (+1.0) and C (+0.5)`.

    If there are many, the nearest are named. A baseline that wins is named last.
    """
    measure = wins[0].measure
    winner = wins[0].winner
    is_baseline = fixed_baseline(study) == winner
    gaps = {pair.loser: describe_lead(study, pair, with_cost=with_cost) for pair in wins}
    if is_baseline and len(wins) == 1:
        (loser, gap), *_ = gaps.items()
        return f"{loser} is worse in {in_sentence(measure)} than {winner} ({gap})"
    losers = join_names(f"{loser} ({gap})" for loser, gap in gaps.items())
    if len(wins) > MOST_NAMED:
        nearest = min(wins, key=lambda pair: abs(pair.paired.difference)).loser
        losers = f"{len(wins)} others, the nearest {nearest} ({gaps[nearest]})"
    if is_baseline:
        return f"{losers} are worse in {in_sentence(measure)} than {winner}"
    return f"{winner} {verb_of(measure)} than {losers}"


def between_models(study: Study) -> str:
    """Say which model is shown to be better, averaged over systems.

    E.g. `Averaged over systems, model large covers more than small (+0.5 [+0.2, +0.8]).`; that none
    is shown, if models are compared; empty without a comparison.
    """
    if not family_of(study).partial or contrasts(study, "model").empty:
        return ""
    leads = model_leads(study)
    if not leads:
        return "Averaged over systems, no difference between models is shown."
    beaten_models = {lead.loser for lead in leads}
    unbeaten_leads = [lead for lead in leads if lead.winner not in beaten_models]
    wins_by_model = Counter(lead.winner for lead in unbeaten_leads)
    winner, _ = wins_by_model.most_common(1)[0]
    wins = [lead for lead in leads if lead.winner == winner]
    nearest = min(wins, key=lambda lead: abs(lead.difference))
    gap = show(Signed(nearest.difference, nearest.low, nearest.high))
    if nearest.high - nearest.low < nearest.measure.tie:
        gap = f"{show(Signed(nearest.difference))}, the same on every sample"
    losers = f"{nearest.loser} ({gap})"
    if len(wins) > 1:
        pairs = contrasts(study, "model")
        others = {*pairs["a"], *pairs["b"]} - {winner}
        article = "the " if len(wins) == len(others) else ""
        losers = f"{article}{len(wins)} other models, the nearest {losers}"
    return f"Averaged over systems, model {winner} {verb_of(nearest.measure)} than {losers}."


def describe_lead(study: Study, pair: Comparison, *, with_cost: bool = False) -> str:
    """Describe a difference that is shown, as seen from `baseline_of_lead`."""
    baseline = baseline_of_lead(study, pair)
    cost = _relative_cost(study, pair.other(baseline), baseline) if with_cost else ""
    return f"{describe_gap(study, pair, baseline)}{cost}"


def baseline_of_lead(study: Study, pair: Comparison) -> str:
    """Return the system to which a lead is a difference: a baseline that wins, else the loser."""
    is_baseline = fixed_baseline(study) == pair.winner
    return (pair.winner if is_baseline else pair.loser) or ""


def _relative_cost(study: Study, first: str, second: str) -> str:
    """Return the cost of a system, or its tokens, as a multiple of another's, if known."""
    for name, column in (("cost", "cost_usd"), ("tokens", "tokens")):
        means = study.finished.groupby("system")[column].mean().dropna()
        amount = means.get(first)
        other = means.get(second)
        if amount and other:
            ratio = amount / other
            if 0.95 <= ratio < 1.05:
                return ""
            return f", at {ratio:{'.1f' if ratio >= 0.95 else '.2g'}} times the {name}"
    return ""


def _reason(study: Study, pair: Comparison, doubt: Doubt) -> str:
    """Return why a difference is not shown, with the groups needed if there are too few."""
    if doubt.kind == "p" and pair.p_adjusted > pair.paired.p:
        return describe_p(study, pair, f"after correction ({show(P(pair.paired.p))} before)")
    if doubt.kind != "too few groups":
        return doubt.text
    comparisons = sum(other.role == pair.role for other in all_comparisons(study))
    needed = (
        f"{clusters_needed(comparisons)} are needed for {format_count(comparisons, 'comparison')}"
    )
    groups = counted_groups(pair.paired.clusters, study)
    return f"{groups} are too few to show a difference ({needed})"
