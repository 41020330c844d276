"""Samples worth reading, chosen by rules."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...measure import MeasureSpec
from ...stats.estimates import Floats
from ...types.system import ARAG, STUFFING
from ..study import Study, cached_per_study
from .contestants import contestants
from .leads import ordered_systems
from .primary import primary_measures


class Example(NamedTuple):
    """A sample and the rule that chose it."""

    title: str
    rule: str
    measure: MeasureSpec
    sample_id: str | None
    """None if no sample fits the rule."""


@cached_per_study
def choose_examples(study: Study) -> tuple[Example, ...]:
    """Choose two wins of A-RAG, one of stuffing, and one failure of A-RAG.

    If A-RAG or stuffing was not run, the wins are of the best other contestants on the leaderboard,
    and the failure of the last one.

    A win is the sample with the largest lead over the best other system on any primary measure,
    and a failure the sample whose lowest primary measure is lowest, both as shares of the measure's
    scale. Ties go to the first sample by id and the first measure. Measures without a direction do
    not count; without any other primary one, the first main measure with a value counts.

    Before these comes, for each system, an unanswerable question that it answered and another
    system declined.
    """
    primary = map(study.catalogue.spec, primary_measures(study))
    measures = _with_value(study, primary) or _with_value(study, study.catalogue.main)[:1]
    if not measures:
        return ()
    by_solver = {run.solver: run.system for run in study.rows[::-1]}
    ranked = [system for system in ordered_systems(study) if system in contestants(study)]
    first = by_solver.get(ARAG.name, ranked[0])
    others = [system for system in ranked if system != first] or ranked
    other = by_solver.get(STUFFING.name, others[0])
    last = by_solver.get(ARAG.name, ranked[-1])
    winning_examples = (*_wins(study, measures, first, 2), *_wins(study, measures, other, 1))
    failure = _failure(study, measures, last)
    return (*_answered_unanswerable(study), *dict.fromkeys(winning_examples), failure)


def _answered_unanswerable(study: Study) -> Iterator[Example]:
    """Yield the question that a system declined least, compared with the best other system."""
    keys = study.catalogue.keys_of("right refusal")
    if not keys or len(study.systems) < 2:
        return
    measure = study.catalogue.spec(keys[0])
    declined = np.array([study.values_of(system, measure.key) for system in study.systems])
    behind = np.nan_to_num(np.fmax.reduce(declined) - declined)
    for system, lost in zip(study.systems, behind, strict=True):
        if lost.max(initial=0) > 0:
            title = f"{system}: answered an unanswerable question"
            rule = f"largest difference to the best of the others on {measure.label}"
            yield Example(title, rule, measure, study.sample_ids[int(lost.argmax())])


def _with_value(study: Study, measures: Iterable[MeasureSpec]) -> list[MeasureSpec]:
    """Return the measures with a direction for which some system has a value."""
    directed = [spec for spec in measures if spec.higher_is_better is not None]
    return [spec for spec in directed if not np.isnan(study.pool(spec.key)).all()]


def _wins(
    study: Study, measures: Sequence[MeasureSpec], system: str, count: int
) -> Iterator[Example]:
    """Yield the samples with the largest leads over the best of the other systems."""
    if len(study.systems) < 2:
        return
    title = f"{system}: win"
    labels = ", ".join(measure.label for measure in measures)
    rule = f"largest lead of {system} over the best of the others on {labels}"
    leads = np.array([_leads(study, measure, system) for measure in measures])
    largest = leads.max(axis=0)
    for index in np.argsort(-largest, kind="stable")[:count]:
        if largest[index] <= 0:
            yield Example(title, rule, measures[0], None)
            continue
        measure = measures[int(leads[:, index].argmax())]
        here = f": here {measure.label}" if len(measures) > 1 else ""
        yield Example(title, rule + here, measure, study.sample_ids[index])


def _leads(study: Study, measure: MeasureSpec, system: str) -> Floats:
    """Return the leads by sample, as shares of the scale; 0 without a lead."""
    others = [_shares(study, measure, name) for name in study.systems if name != system]
    leads = _shares(study, measure, system) - np.fmax.reduce(others)
    low, high = _scale(study, measure)
    return np.where(leads > measure.tie / (high - low), leads, 0.0)


def _failure(study: Study, measures: Sequence[MeasureSpec], system: str) -> Example:
    """Return the answer that is worst on any measure; ties go to the worse mean."""
    shares = pd.DataFrame(
        {number: _shares(study, spec, system) for number, spec in enumerate(measures)},
        list(study.sample_ids),
    )
    worst = pd.DataFrame({"lowest": shares.min(axis=1), "mean": shares.mean(axis=1)})
    worst = worst[worst["lowest"] < 1 - 1e-9].sort_values(["lowest", "mean"], kind="stable")
    title = f"{system}: failure"
    rule = f"lowest of {', '.join(measure.label for measure in measures)}"
    if worst.empty:
        return Example(title, rule, measures[0], None)
    sample = str(worst.index[0])
    measure = measures[int(shares.loc[sample].idxmin())]
    return Example(title, f"{rule}: here {measure.label} of {system}", measure, sample)


def _shares(study: Study, measure: MeasureSpec, system: str) -> Floats:
    """Return the values of a system by sample as shares of the scale, 1 being the best."""
    low, high = _scale(study, measure)
    best = high if measure.higher_is_better else low
    return 1 - np.abs(best - study.values_of(system, measure.key)) / (high - low)


def _scale(study: Study, measure: MeasureSpec) -> tuple[float, float]:
    """Return the ends of a scale, or of the values if it has no ends; never a single point."""
    values = study.pool(measure.key)
    low = float(np.nanmin(values)) if measure.low is None else measure.low
    high = float(np.nanmax(values)) if measure.high is None else measure.high
    return low, high if high > low else low + 1.0
