"""Tables of paired differences, required samples, consistency over epochs, floor and ceiling."""

import math
from collections.abc import Iterator
from itertools import combinations
from operator import attrgetter

import numpy as np
import pandas as pd

from ..._util.wording import plural
from ...measure import MeasureSpec
from ...stats.power import samples_for
from ..analysis import RowCells, Words, analysis
from ..cells import MOST_NEEDED, Cell, Needed, P, Signed, show_needed
from ..comparison.basis import group_noun, groups_for
from ..comparison.comparability import compare_pair, pair_values
from ..comparison.comparisons import (
    Comparison,
    all_comparisons,
    better_first,
    describe_pairs,
    primary_pairs,
)
from ..comparison.contestants import family_of, fixed_baseline
from ..comparison.kinds import differences_by_kind
from ..comparison.means import mean_of_values
from ..comparison.positions import positions
from ..comparison.primary import primary_measures
from ..study import Study

_STEPS = (0.01, 0.02, 0.05, 0.1)
"""Differences of interest, as shares of a scale."""

_GRADE_STEPS = (0.025, 0.05, 0.075, 0.125)
"""Differences of interest, as shares of a scale of grades."""

_PASS = 0.75
"""Share of a scale at which an answer passes."""

_MOST_NAMES = 5
"""Maximum number of samples listed in a cell."""

_FEWEST_SAMPLES = 10
"""Minimum number of samples for a comparison at equal budget."""

_SAME_BUDGET = 1.25
"""Largest ratio of two costs that count as equal."""


def _comparison_words(study: Study) -> Words:
    pairs = all_comparisons(study)
    primary = len(primary_pairs(study))
    fixed = fixed_baseline(study)
    order = "a has the better mean" + (f", or b is {fixed}" if fixed else "")
    return {
        "family": describe_pairs(study),
        "order": order,
        "primary": str(primary),
        "secondary": str(len(pairs) - primary),
    }


@analysis(
    "Which system is better",
    text="""
    {family} Difference a - b on the samples that both answered, with its 95 % interval
    (Student's over {clusters}); {order}. p by exact or approximate randomisation of
    {clusters}. Primary: corrected over all {primary} (Holm). Secondary: exploratory, corrected
    over the other {secondary} (Benjamini and Hochberg). Diagnostic measures are described and
    not tested. d: mean difference in standard deviations (Cohen). Detectable: the difference
    that would be found with 80 % power at the correction's strictest step (a dash: none that
    the scale allows, with so few {clusters}). A winner is named only if the interval excludes
    zero, the corrected p is below 0.05, the difference exceeds the judge's noise, and both systems
    were measured the same way.
    """,
    words=_comparison_words,
    meanings={
        "d": "Mean difference in standard deviations (Cohen); a dash where all are the same",
        "detectable": (
            "Difference that would be found with 80 % power after correction, at its strictest "
            "step; a dash: none that the scale allows, with too few groups, or where no "
            "sample differs"
        ),
        "wins/ties/losses": "Samples on which a is better, equal or worse",
    },
    section="quality",
    order=50,
)
def comparisons(study: Study) -> Iterator[RowCells]:
    """Yield each comparison of two systems on a measure."""
    for pair in all_comparisons(study):
        paired = pair.paired
        better_a, better_b = _better_counts(pair)
        yield {
            "role": pair.role,
            "measure": pair.measure.label,
            "a": pair.a,
            "b": pair.b,
            "n": paired.n,
            "a - b": Signed.of(paired),
            "p": P(paired.p),
            "p corrected": P(pair.p_adjusted),
            "d": None if math.isnan(paired.effect) else Signed(paired.effect),
            "detectable": pair.detectable,
            "wins/ties/losses": f"{better_a}/{paired.ties}/{better_b}",
            "verdict": pair.verdict,
        }


def _better_counts(pair: Comparison) -> tuple[int, int]:
    """Count the samples on which a is better, and those on which b is."""
    paired = pair.paired
    if pair.measure.higher_is_better is False:
        return paired.losses, paired.wins
    return paired.wins, paired.losses


@analysis(
    "Differences by kind of sample",
    text="""
    The primary comparisons on questions, unanswerable questions and summaries separately, before
    correction.
    """,
    section="quality",
    order=55,
)
def by_kind(study: Study) -> Iterator[RowCells]:
    """Yield each primary comparison on each kind of sample that it pools."""
    for pair in filter(attrgetter("is_comparable"), primary_pairs(study)):
        for noun, of_kind in differences_by_kind(study, pair):
            yield {
                "kind": plural(noun),
                "measure": pair.measure.label,
                "a": pair.a,
                "b": pair.b,
                "n": of_kind.paired.n,
                "mean of a": of_kind.paired.mean_a,
                "mean of b": of_kind.paired.mean_b,
                "a - b": Signed.of(of_kind.paired),
                "p": P(of_kind.paired.p),
            }


@analysis(
    "McNemar's test",
    text="""
    For measures with values 0 and 1: the samples that only one of the two systems gets right,
    and the exact p of McNemar's test (binomial, two-sided, before correction), which treats
    every sample as independent. p is from the permutation test of the comparisons above, which
    swaps whole {clusters}; with one sample in each, the two p agree except for random swaps. The
    comparisons above decide.
    """,
    meanings={
        "McNemar p": "Exact p of McNemar's test, with every sample independent",
    },
    section="quality",
    order=120,
)
def mcnemar(study: Study) -> Iterator[RowCells]:
    """Yield McNemar's exact test of each pair whose values are 0 or 1."""
    from scipy.stats import binomtest  # slow to import

    for pair in all_comparisons(study):
        is_count = pair.measure.low is not None and pair.measure.high is None
        if is_count or not pair.is_alike:
            continue
        values = [study.known_values(system, pair.measure.key) for system in (pair.a, pair.b)]
        if not all(of_system.isin((0, 1)).all() for of_system in values):
            continue
        paired = pair.paired
        better_a, better_b = _better_counts(pair)
        discordant = better_a + better_b
        p = binomtest(better_a, discordant).pvalue if discordant else 1.0
        yield {
            "measure": pair.measure.label,
            "a": pair.a,
            "b": pair.b,
            "n": paired.n,
            "only a right": better_a,
            "only b right": better_b,
            "McNemar p": P(float(p)),
            "p": P(paired.p),
        }


def _is_grouped(study: Study) -> bool:
    """Return whether groups have several samples, so that groups are the independent units."""
    return any(pair.paired.clusters < pair.paired.n for pair in all_comparisons(study))


def _size_words(study: Study) -> Words:
    if not _is_grouped(study):
        return {"new_groups": ""}
    groups = plural(group_noun(study))
    advice = (
        f"They must come from this many {groups}; more samples of the same {groups} do not help."
    )
    return {"new_groups": advice}


@analysis(
    "How many samples it takes",
    text="""
    Samples that a paired comparison needs to show a difference with 80 % power at p < 0.05,
    before any correction, given the variance and the {clusters} in these logs: for the
    difference seen, and for other differences of interest. At least as many as the permutation
    test needs, assuming that the same share of {clusters} differs as here. {new_groups}
    """,
    words=_size_words,
    section="quality",
    order=90,
)
def power(study: Study) -> Iterator[RowCells]:
    """Yield the number of samples that each comparison needs."""
    for pair in all_comparisons(study):
        scale = pair.measure.range_width
        if scale is None or not (pair.is_alike and pair.paired.deviation):
            continue
        shares = _GRADE_STEPS if pair.measure.graded else _STEPS
        needed = {scale * share: samples_for(pair.paired, scale * share) for share in shares}
        samples = ", ".join(f"{step:g}: {show_needed(n)}" for step, n in needed.items() if n)
        heading = f"{plural(group_noun(study))} for it"
        yield {
            "measure": pair.measure.label,
            "a": pair.a,
            "b": pair.b,
            "n here": pair.paired.n,
            "for the difference seen": Needed(pair.needed) if pair.needed else None,
            "groups": {heading: _groups_needed(pair)} if _is_grouped(study) else {},
            "for a difference of": samples,
        }


def _groups_needed(pair: Comparison) -> int | None:
    """Return the groups that a comparison needs; None if it needs too many samples to name."""
    if pair.needed is None or pair.needed > MOST_NEEDED:
        return None
    return groups_for(pair.needed, pair.paired)


@analysis(
    "At equal budget",
    text="""
    The same differences, on the samples for which both systems spent about the same (within a
    quarter), the better system first.
    """,
    section="quality",
    order=80,
)
def equal_budget(study: Study) -> Iterator[RowCells]:
    """Yield the differences on samples that cost both systems about the same."""
    if len(study.sample_ids) < _FEWEST_SAMPLES:
        return
    for budget, column in (("tokens", "tokens"), ("dollars", "cost_usd")):
        mean_effort = study.answers.groupby(["id", "system"])[column].mean().unstack("system")
        mean_effort = mean_effort.reindex(list(study.sample_ids))
        for a, b in family_of(study).pairs:
            low = mean_effort[[a, b]].min(axis=1)
            high = mean_effort[[a, b]].max(axis=1, skipna=False)
            is_same_budget = ((low > 0) & (high <= _SAME_BUDGET * low)).to_numpy()
            if is_same_budget.sum() < _FEWEST_SAMPLES:
                continue
            for measure in study.catalogue.main:
                if pair_values(study, a, b, measure.key).nowhere_alike:
                    continue
                paired = compare_pair(study, a, b, measure.key, among=is_same_budget)
                if paired is not None and paired.n >= _FEWEST_SAMPLES:
                    first, second, oriented = better_first(study, a, b, paired, measure.sign)
                    yield {
                        "budget": budget,
                        "measure": measure.label,
                        "a": first,
                        "b": second,
                        "n": paired.n,
                        "mean of a": oriented.mean_a,
                        "mean of b": oriented.mean_b,
                        "a - b": Signed.of(oriented),
                    }


@analysis(
    "Consistency over epochs",
    text="""
    Every sample was answered k times. Pass^k: share of samples that are right every time (for
    shares and grades: at or above three quarters of the scale); pass: share of single answers
    that are right. Flip: share of samples that are right only sometimes. Spread: standard
    deviation within a sample. Half-width: what this spread leaves to chance in the mean over k
    epochs, at 95 %; a smaller difference between systems may be chance. Only samples with all
    k values count.
    """,
    section="quality",
    order=100,
)
def consistency(study: Study) -> Iterator[RowCells]:
    """Yield pass^k, flips and spread of each primary measure, by system."""
    for measure, system, values in _repeated_values(study):
        spec = study.catalogue.spec(measure)
        yield {
            "system": system,
            "measure": spec.label,
            "k": values.shape[1],
            "samples": len(values),
            "passes": _passes(study, spec, values),
            "spread": float(values.std(axis=1, ddof=1).mean()),
            "half-width": _half_width(values),
        }


def _passes(study: Study, spec: MeasureSpec, values: pd.DataFrame) -> RowCells:
    """Return how many samples and answers are right; empty cells for a measure without a scale."""
    low = spec.low or 0.0
    scale = spec.range_width
    if scale is None:
        if not study.scores_of(spec.key)["value"].dropna().between(0, 1).all():
            return dict.fromkeys(("pass", "pass^k", "flip", "samples that flip"))
        scale = 1.0
    passed = values >= low + _PASS * scale
    if spec.higher_is_better is False:
        passed = values <= low + (1 - _PASS) * scale
    flips = passed.any(axis=1) & ~passed.all(axis=1)
    names = list(values.index[flips])
    flipping = ", ".join(map(str, names[:_MOST_NAMES]))
    flipping += " ..." if len(names) > _MOST_NAMES else ""
    return {
        "pass": _mean(study, passed.mean(axis=1)),
        "pass^k": _mean(study, passed.all(axis=1).astype(float)),
        "flip": _mean(study, flips.astype(float)),
        "samples that flip": flipping or None,
    }


@analysis(
    "Differences and the spread within samples",
    text="""
    Does the difference between two systems exceed the half-width that results from the spread of
    their answers alone? On samples with all epochs. Other samples may still give a different
    result: the comparisons above say whether a difference is shown.
    """,
    section="quality",
    order=110,
)
def beyond_chance(study: Study) -> Iterator[RowCells]:
    """Yield whether each difference exceeds the spread of repeated answers."""
    by_measure: dict[str, dict[str, pd.DataFrame]] = {}
    for measure, system, values in _repeated_values(study):
        by_measure.setdefault(measure, {})[system] = values
    for measure, systems in by_measure.items():
        for a, b in combinations(systems, 2):
            shared_samples = systems[a].index.intersection(systems[b].index)
            is_alike = not pair_values(study, a, b, measure).nowhere_alike
            if len(shared_samples) and is_alike:
                first = systems[a].loc[shared_samples]
                second = systems[b].loc[shared_samples]
                gap = float((first.mean(axis=1) - second.mean(axis=1)).mean())
                noise = float(np.hypot(_half_width(first), _half_width(second)))
                yield {
                    "measure": study.catalogue.spec(measure).label,
                    "a": a,
                    "b": b,
                    "a - b": Signed(gap),
                    "half-width by chance": noise,
                    "larger": "yes" if abs(gap) > noise else "no",
                }


def _repeated_values(study: Study) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield the values of each primary measure and system with several epochs.

    Their shape is (samples, epochs).
    """
    if study.answers["epoch"].nunique() < 2:
        return
    for measure in primary_measures(study):
        for system, rows in study.by_system(study.scores_of(measure)):
            values = rows.pivot_table(index="id", columns="epoch", values="value", sort=False)
            values = values.dropna()
            if values.shape[1] > 1 and len(values):
                yield measure, system, values


def _half_width(values: pd.DataFrame) -> float:
    """Return the half-width of the mean's interval that the variance within samples implies."""
    samples, epochs = values.shape
    variance = float(values.var(axis=1, ddof=1).mean())
    return float(1.96 * np.sqrt(variance / (samples * epochs)))


def _mean(study: Study, values: "pd.Series[float]") -> Cell:
    aligned = values.reindex(list(study.sample_ids)).to_numpy(float)
    return mean_of_values(study, aligned, (0, 1))


@analysis(
    "Between floor and ceiling",
    text="""
    Floor: the closed book, which reads nothing. Ceiling: the oracle, the same writer with the
    gold evidence. Share of the way: 0 is the floor, 1 the ceiling; a system above 1 benefits
    from more than the gold evidence.
    """,
    section="retrieval",
    order=50,
)
def bounds(study: Study) -> Iterator[RowCells]:
    """Yield the position of each system between closed book and oracle."""
    for position in positions(study):
        yield {
            "measure": study.catalogue.spec(position.measure).label,
            "system": position.system,
            "floor": position.floor,
            "mean": position.mean,
            "ceiling": position.ceiling,
            "share of the way": position.share,
        }
