"""State which system is better on one measure and by how much, or how good the only system is."""

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from ..._util.wording import join_names, join_or_count
from ...measure import MeasureSpec
from ..cells import show, show_score
from ..comparison.basis import is_out_of_reach, is_stated, needed_groups, part_of
from ..comparison.comparisons import (
    INCOMPARABLE,
    Comparison,
    all_comparisons,
    clusters_short_of,
    primary_pairs,
)
from ..comparison.contestants import contestants
from ..comparison.leads import nearest_to_shown, unbeaten_systems
from ..comparison.means import good_shares, mean_of_measure
from ..labels import MOST_NAMED, in_sentence
from ..study import Study
from .gap_text import (
    compared_pairs,
    describe_difference,
    describe_gap,
    describe_groups,
    describe_wins,
)


def describe_measure(study: Study, measure: MeasureSpec) -> Iterator[str]:
    """Yield the sentences on a primary measure; none if it has no value."""
    competing = contestants(study)
    if measure.higher_is_better is None:
        yield from _describe_means(study, measure, competing)
    elif len(competing) == 1:
        yield from _describe_single_system(study, measure, competing[0])
    pairs = primary_pairs(study, measure)
    won_pairs = [pair for pair in pairs if pair.winner]
    yield from _incomparable(pairs, in_sentence(measure))
    unbeaten = unbeaten_systems(study, measure, won_pairs)
    if won_pairs and len(competing) > MOST_NAMED + 1 and len(unbeaten) > 1:
        yield f"In {describe_groups(study, measure, won_pairs, with_cost=True)}."
    else:
        yield from _wins(study, won_pairs)
        yield from _ties(study, measure, pairs)
    yield from _left_out(pairs)


def _describe_means(study: Study, measure: MeasureSpec, systems: Sequence[str]) -> Iterator[str]:
    """Yield the means of systems on a measure with no preferred direction."""
    means = [(system, mean_of_measure(study, system, measure.key)) for system in systems]
    texts = [
        f"{system} has {show(mean)} on {part_of(mean.n, study)}" for system, mean in means if mean
    ]
    if len(texts) > 1:
        remedy = f"--lower {measure.key} or --higher {measure.key} sets which is better"
        yield f"{join_names(texts)}; {remedy}."
    elif texts:
        yield f"{texts[0]}."


def _describe_single_system(study: Study, measure: MeasureSpec, system: str) -> Iterator[str]:
    """Yield how good the only contestant is on a measure, and its weakest samples."""
    mean = mean_of_measure(study, system, measure.key)
    if mean is None:
        return
    scores = study.known_values(system, measure.key)
    text = f"{system} has {show(mean)} on {part_of(mean.n, study)}"
    if measure.good_grade is not None:
        good = good_shares(study, system, measure).mean()
        text += f", {good:.0%} at {measure.good_grade:g} or better"
    for other in study.systems:
        bound = mean_of_measure(study, other, measure.key)
        if bound is not None and other != system:
            text += f", where {other} has {show_score(bound.mean)}"
    yield f"{text}{_weakest(scores, measure)}."


def _weakest(scores: "pd.Series[float]", measure: MeasureSpec) -> str:
    """Return a clause that names the weakest samples, or counts them if too many are equal.

    A sample that is no worse than the mean is not weak.
    """
    ordered = scores.sort_values(ascending=bool(measure.higher_is_better), kind="stable")
    count = int(((ordered - ordered.iloc[0]).abs() <= measure.tie).sum())
    if count == len(ordered):
        return ""
    if count > MOST_NAMED:
        return f"; weakest: {count} samples ({show_score(ordered.iloc[0])})"
    mean = scores.mean()
    is_weak = ordered < mean if measure.higher_is_better else ordered > mean
    weak = ordered[is_weak].head(MOST_NAMED)
    texts = [
        f"{' '.join(str(name).split())[:60]} ({show_score(score)})" for name, score in weak.items()
    ]
    return f"; weakest: {', '.join(texts)}"


def _incomparable(pairs: Sequence[Comparison], name: str) -> Iterator[str]:
    """Yield pairs that are not compared, by reason."""
    for kind in INCOMPARABLE:
        incomparable_pairs = [pair for pair in pairs if pair.doubt and pair.doubt.kind == kind]
        if incomparable_pairs:
            doubt = incomparable_pairs[0].doubt
            yield f"{_pairs(incomparable_pairs)} are not compared in {name} ({doubt})."


def _pairs(pairs: Sequence[Comparison]) -> str:
    if len(pairs) > MOST_NAMED:
        return f"{len(pairs)} pairs of systems"
    return ", ".join(f"{pair.a} and {pair.b}" for pair in pairs)


def _wins(study: Study, won_pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yield a sentence for each system that beats others; if many, for each unbeaten system."""
    are_many = len(study.systems) > MOST_NAMED + 1
    beaten_systems = {pair.loser for pair in won_pairs}
    for system in study.systems:
        wins = [pair for pair in won_pairs if pair.winner == system]
        if wins and not (are_many and system in beaten_systems):
            yield f"{describe_wins(study, wins, with_cost=True)}."


def _ties(study: Study, measure: MeasureSpec, pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yield the pairs that are equal on every sample, and those not shown to differ."""
    undecided = [pair for pair in pairs if pair.doubt and pair.is_comparable]
    identical = [pair for pair in undecided if not (pair.paired.wins or pair.paired.losses)]
    if identical:
        systems = {pair.a for pair in pairs} | {pair.b for pair in pairs}
        are_all = len(identical) == math.comb(len(systems), 2)
        subject = _all_systems(study, systems) if are_all else _pairs(identical)
        samples = f"every sample{_extent(study, measure, identical)}"
        yield f"{subject} score the same in {in_sentence(measure)} on {samples}."
    differing = [pair for pair in undecided if pair not in identical]
    if differing:
        other = "other " if any(pair.winner for pair in pairs) else ""
        name = in_sentence(measure)
        scope = compared_pairs(study)
        yield f"No {other}difference in {name} is shown{scope}{_largest(study, differing)}."


def _all_systems(study: Study, systems: set[str]) -> str:
    """Name the systems that score the same."""
    if study.choices.is_change:
        return "Both runs"
    if len(systems) < len(contestants(study)):
        return join_or_count(sorted(systems, key=study.systems.index), "system")
    return "Both systems" if len(systems) == 2 else "All systems"


def _extent(study: Study, measure: MeasureSpec, pairs: Sequence[Comparison]) -> str:
    """Return on how many samples pairs are compared at least; empty for all samples."""
    fewest = min(pairs, key=lambda pair: pair.paired.n)
    n = fewest.paired.n
    compared_only = " compared" if n < len(study.sample_ids) else ""
    if is_stated(n, study, measure.key, fewest.a, fewest.b):
        return compared_only
    return f"{compared_only} ({part_of(n, study)})"


def _largest(study: Study, pairs: Sequence[Comparison]) -> str:
    """Return the difference that is not shown, or the largest of several, and what would show it.

    Ties go to the narrowest interval. If all means are equal, say so instead; for a single pair,
    give the interval.
    """
    size = max(abs(pair.paired.difference) for pair in pairs)
    largest = [pair for pair in pairs if size - abs(pair.paired.difference) <= pair.measure.tie]
    pair = nearest_to_shown(largest) or largest[0]
    paired = pair.paired
    if pair.is_level:
        return ": the means are equal" if pairs[1:] else f": {describe_gap(study, pair, pair.b)}"
    text = "; the largest: " if pairs[1:] else ": "
    text += describe_difference(study, pair)
    needed = pair.needed or 0
    if needed > paired.n and clusters_short_of([pair]) is None:
        text += f"; {needed_groups(study, paired, needed)} would show it"
        are_several = sum(other.role == pair.role for other in all_comparisons(study)) > 1
        if are_several and not is_out_of_reach(paired, needed):
            text += ", before correction"
    return text


def _left_out(pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yield how many samples the comparisons leave out, if any does."""
    counts = {pair.left_out for pair in pairs}
    if any(counts):
        up_to = "up to " if len(counts) > 1 else ""
        why = "because they were measured differently or asked another question"
        yield f"Samples left out {why}: {up_to}{max(counts)}."
