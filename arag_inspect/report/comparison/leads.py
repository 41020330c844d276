"""The order of the systems, and the difference that the headline states."""

import math
from collections.abc import Sequence

from ...measure import MeasureSpec
from ..study import Study, cached_per_study
from .comparisons import Comparison, primary_pairs
from .contestants import contestants, family_of, fixed_baseline
from .means import mean_of_measure
from .primary import primary_measures

ORDER = (
    "Sorted by the measure on which a winner is named (without a winner: the first primary "
    "measure), best first. The other primary measures, then cost, break ties. Systems without a "
    "value come last."
)


@cached_per_study
def ordered_systems(study: Study) -> tuple[str, ...]:
    """Return the systems, best first: by the winner's measure, then by the other primary ones.

    Without a winner, the first primary measure comes first. Ties go to the lower cost, then to
    fewer tokens; reference lines come last.
    """
    primary = [study.catalogue.spec(key) for key in primary_measures(study)]
    won = won_pairs(study)
    first = won[0].measure.key if won else ""
    measures = sorted(primary, key=lambda measure: measure.key != first)
    efforts = study.finished.groupby("system")[["cost_usd", "tokens"]].mean()

    def precedence(system: str) -> tuple[object, ...]:
        is_bound = system not in contestants(study)
        means = [_order(study, system, measure) for measure in measures]
        effort = efforts.loc[system] if system in efforts.index else (math.nan, math.nan)
        return is_bound, *means, *(math.inf if math.isnan(amount) else amount for amount in effort)

    return tuple(sorted(study.systems, key=precedence))


@cached_per_study
def largest_lead(study: Study) -> Comparison | None:
    """Return the largest lead that is shown on a primary measure; None without one.

    It is on the first primary measure with a winner, if possible of an unbeaten system; ties go to
    the system that comes first.
    """
    won = won_pairs(study)
    return largest_of(study, won) if won else None


@cached_per_study
def won_pairs(study: Study) -> tuple[Comparison, ...]:
    """Return the differences that are shown on the first primary measure with any.

    A lead in retrieval does not count while the answers of its winner are behind.
    """
    won = [pair for pair in primary_pairs(study) if pair.winner and not worse_answers(study, pair)]
    return tuple(pair for pair in won if pair.measure.key == won[0].measure.key)


def worse_answers(study: Study, lead: Comparison) -> list[MeasureSpec]:
    """Return the primary measures of answers on which the winner of a lead in retrieval is behind.

    Whether or not the differences are shown; empty for a lead on another measure, and if the reader
    chose the measures.
    """
    if lead.measure.family != "retrieval" or study.choices.primary:
        return []
    worse = []
    for pair in primary_pairs(study):
        is_of_answers = {pair.a, pair.b} == {lead.a, lead.b} and pair.measure.family != "retrieval"
        if is_of_answers and pair.is_comparable and not pair.is_level:
            worse += [pair.measure] if pair.behind == lead.winner else []
    return worse


def largest_of(study: Study, leads: Sequence[Comparison]) -> Comparison:
    """Return the largest of some leads on one measure, if possible of an unbeaten system."""
    beaten_systems = {pair.loser for pair in leads}
    order = ordered_systems(study)

    def precedence(pair: Comparison) -> tuple[bool, float, int]:
        lead = round(abs(pair.paired.difference) / pair.measure.tie)
        return pair.winner not in beaten_systems, lead, -order.index(pair.winner or "")

    return max(leads, key=precedence)


def unbeaten_systems(study: Study, measure: MeasureSpec, leads: Sequence[Comparison]) -> list[str]:
    """Return the contestants with a value of a measure that no other is shown to beat."""
    beaten_systems = {pair.loser for pair in leads}
    return [
        name
        for name in contestants(study)
        if name not in beaten_systems and mean_of_measure(study, name, measure.key)
    ]


@cached_per_study
def headline_difference(study: Study) -> Comparison | None:
    """Return the difference that the headline states; None if nothing is comparable.

    It is the largest lead or, without a lead, the primary difference nearest to being shown.
    """
    return largest_lead(study) or nearest_to_shown(primary_pairs(study))


def nearest_to_shown(pairs: Sequence[Comparison]) -> Comparison | None:
    """Return the largest difference relative to its interval; None if nothing is comparable."""
    comparable = [pair for pair in pairs if pair.is_comparable]
    return max(comparable, key=_relative_size, default=None)


def baseline_of(study: Study) -> str:
    """Return the system to which the differences of the others refer.

    It is the fixed baseline, else the worse system of the difference in the headline. If systems
    are compared only within each model, and none is better, it is the first.
    """
    if not fixed_baseline(study) and family_of(study).partial and largest_lead(study) is None:
        return ordered_systems(study)[0]
    difference = headline_difference(study)
    return fixed_baseline(study) or (difference.b if difference else study.systems[0])


def _order(study: Study, system: str, measure: MeasureSpec) -> tuple[bool, float]:
    """Return a sort key: best value first, equal for ties, systems without a value last."""
    mean = mean_of_measure(study, system, measure.key)
    sign = {True: -1, False: 1, None: 0}[measure.higher_is_better]
    return (True, 0.0) if mean is None else (False, sign * round(mean.mean / measure.tie))


def _relative_size(pair: Comparison) -> tuple[bool, float]:
    """Return whether a difference has an interval, and its size as a share of that or the scale."""
    low, high = pair.paired.low, pair.paired.high
    size = abs(pair.paired.difference)
    if low is None or high is None:
        return False, size / (pair.measure.range_width or math.inf)
    return True, size / max(high - low, pair.measure.tie)
