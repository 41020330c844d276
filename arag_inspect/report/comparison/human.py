"""Human marks: which measures they correct, and the corrected means."""

from collections.abc import Sequence

import numpy as np

from ...measure import MeasureKey, MeasureSpec
from ...stats.agreement import varies
from ...stats.corrected_mean import corrected_mean, most_wrong
from ...stats.estimates import Estimate, Floats
from ...stats.power import clusters_needed
from ..study import Study
from .means import random_marks
from .primary import primary_measures

HUMAN = "human"
"""Scorer of human marks."""

FEWEST_MARKS = clusters_needed(1)
"""Fewest marks of random answers by which a mean is corrected: as few as can show a difference."""


def corrections(study: Study) -> dict[str, str]:
    """Return the human measure that corrects a judged measure, by the judged key.

    It has the same key or label; marks without a key apply to the primary measure of the only
    judged scorer, or to its grade. Marks outside the measure's scale correct nothing.
    """
    judged = [spec for spec in study.catalogue.specs if spec.family == "judgement"]
    values = [spec for spec in judged if not spec.in_metadata]
    main = [spec for spec in values if spec.key in primary_measures(study)] or values
    human_by_judge: dict[str, str] = {}
    for human in (spec for spec in study.catalogue.specs if spec.family == "human"):
        corrected = _find_named(judged, MeasureKey.parse(human.key).value_key)
        if human.label == "Human" and len({spec.scorer for spec in judged}) == 1:
            corrected = main
        if len(corrected) == 1:
            marks = study.scores_of(human.key)["value"].to_numpy(float)
            if are_on_scale(marks, corrected[0]):
                human_by_judge.setdefault(corrected[0].key, human.key)
    return human_by_judge


def _find_named(judged: Sequence[MeasureSpec], name: str) -> list[MeasureSpec]:
    """Return the judged measures with a key or, if there are none, with a value key or label."""
    with_key = [spec for spec in judged if name == spec.key]
    with_label = [
        spec for spec in judged if name in (spec.value_key, spec.label.partition(" (")[0].lower())
    ]
    return with_key or with_label


def are_on_scale(marks: Floats, measure: MeasureSpec) -> bool:
    """Return whether no mark is off a measure's scale, which may have no end."""
    low = -np.inf if measure.low is None else measure.low
    high = np.inf if measure.high is None else measure.high
    return not ((marks < low) | (marks > high)).any()


def has_kappa(marks: Floats, values: Floats, measure: MeasureSpec) -> bool:
    """Return whether values are grades, or 0 or 1, and both they and the marks vary."""
    is_graded = measure.graded or bool(np.isin(np.concatenate([marks, values]), (0, 1)).all())
    return is_graded and varies(marks) and varies(values)


def corrected_by(study: Study, human: str, judge: str, system: str) -> Estimate | None:
    """Return the mean mark of all answers of a system, within the range that known marks allow.

    Marks of answers that a review sheet did not draw at random only bound the mean. If no mark
    differs from its verdict, the mean is the judge's, whose other verdicts may be wrong as often as
    `most_wrong` says.
    """
    spec = study.catalogue.spec(judge)
    verdicts = study.values_of(system, judge)
    marks = random_marks(study, system, human)
    estimate = corrected_mean(marks, verdicts, (spec.low, spec.high))
    if estimate is None or spec.low is None or spec.high is None:
        return estimate
    has_verdict = ~np.isnan(verdicts)
    verdicts = verdicts[has_verdict]
    marks = study.values_of(system, human)[has_verdict]
    is_marked = ~np.isnan(marks)
    ends = [float(np.where(is_marked, marks, end).mean()) for end in (spec.low, spec.high)]
    if (marks[is_marked] == verdicts[is_marked]).all():
        mean = float(verdicts.mean())
        share = most_wrong(estimate.n)
        low, high = (mean + share * (end - mean) for end in ends)
        return estimate._replace(mean=mean, low=low, high=high)
    mean = min(max(estimate.mean, ends[0]), ends[1])
    if estimate.low is None or estimate.high is None:
        return estimate._replace(mean=mean)
    low = min(max(estimate.low, ends[0]), mean)
    high = max(min(estimate.high, ends[1]), mean)
    return estimate._replace(mean=mean, low=low, high=high)
