"""Tables of human marks: their agreement with measures, and corrected means."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...measure import MeasureSpec
from ...stats.agreement import alpha, both_known, kappa, spearman, tau
from ...stats.corrected_mean import corrected_mean
from ...stats.estimates import Estimate, Floats
from ..analysis import analysis
from ..comparison.means import random_marks
from ..comparison.primary import primary_measures
from ..study import Study
from ..table import Cell

HUMAN = "human"
"""Scorer of human marks."""


@analysis(
    "Agreement with people",
    columns="marks | measure | answers | rho | tau | kappa | alpha",
    text="""
    Over all human-marked answers: Spearman's rho, Kendall's tau-b and, for grades, Cohen's
    kappa (quadratic weights) and Krippendorff's alpha (ordinal), if the marks are on the
    measure's scale.
    """,
)
def human_agreement(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield the agreement of each measure with human marks."""
    for human in (spec for spec in study.catalogue.specs if spec.family == "human"):
        for other in study.catalogue.specs:
            if other.family in ("human", "cost") or not other.is_quality:
                continue
            marks, scores = both_known(study.pool(human.key), study.pool(other.key))
            graded: tuple[Cell, Cell] = (None, None)
            if other.graded and _are_on_scale(marks, other):
                graded = kappa(marks, scores), alpha(np.column_stack([marks, scores]))
            ordered = spearman(marks, scores), tau(marks, scores)
            yield human.label, other.label, len(marks), *ordered, *graded


def corrections(study: Study) -> dict[str, str]:
    """Return the human measure that corrects a judged one, by the key of the latter.

    It has the same key or label; marks without a key apply to the primary measure of the only
    judged scorer, or to its grade. Marks outside the measure's scale correct nothing.
    """
    judged = [spec for spec in study.catalogue.specs if spec.family == "judgement"]
    values = [spec for spec in judged if not spec.in_metadata]
    main = [spec for spec in values if spec.key in primary_measures(study)] or values
    human_by_judge: dict[str, str] = {}
    for human in (spec for spec in study.catalogue.specs if spec.family == "human"):
        corrected = _find_named(judged, human.key.partition(".")[2])
        if human.label == "Human" and len({spec.scorer for spec in judged}) == 1:
            corrected = main
        if len(corrected) == 1:
            marks = study.scores_of(human.key)["value"].to_numpy(float)
            if _are_on_scale(marks, corrected[0]):
                human_by_judge.setdefault(corrected[0].key, human.key)
    return human_by_judge


def _find_named(judged: Sequence[MeasureSpec], name: str) -> list[MeasureSpec]:
    """Return the judged measures with a key or, without any, with a part of it or a label."""
    with_key = [spec for spec in judged if name == spec.key]
    with_label = [
        spec for spec in judged if name in (spec.value_key, spec.label.split(" (1-")[0].lower())
    ]
    return with_key or with_label


def _are_on_scale(marks: Floats, measure: MeasureSpec) -> bool:
    """Return whether no mark is off a measure's scale, which may have no end."""
    low = -np.inf if measure.low is None else measure.low
    high = np.inf if measure.high is None else measure.high
    return not ((marks < low) | (marks > high)).any()


@analysis(
    "Means corrected by people",
    columns="marks | judge | system | answers marked | mean of the judge | corrected mean",
    text="""
    The mean human mark of all answers, estimated from human marks of some answers and the
    judge's verdicts on all of them (prediction-powered inference), with Student's 95 %
    interval within the judge's scale (Wilson's if all marks are at the same end of it). Marks
    that were not drawn at random only bound the mean and its interval. Marks correct only the measure they are
    for, on its scale.
    """,
    meanings={
        "corrected mean": "Mean that people would give, estimated from their marks of some answers and the judge's of all",
    },
)
def corrected_means(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield the mean human mark of all answers, by judged measure and system."""
    for judge, human in corrections(study).items():
        labels = study.catalogue.spec(human).label, study.catalogue.spec(judge).label
        for system in study.systems:
            mean = corrected_by(study, human, judge, system)
            if mean is not None:
                judged = float(np.nanmean(study.values_of(system, judge)))
                yield *labels, system, mean.n, judged, mean


def corrected_by(study: Study, human: str, judge: str, system: str) -> Estimate | None:
    """Return the mean mark of all answers of a system, within the range that known marks allow.

    Marks of answers that a review sheet did not draw at random only bound the mean. If no mark
    differs from its verdict, the mean is the judge's.
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
    mean = estimate.mean
    if (marks[is_marked] == verdicts[is_marked]).all():
        mean = float(verdicts.mean())
    ends = [float(np.where(is_marked, marks, end).mean()) for end in (spec.low, spec.high)]
    mean = min(max(mean, ends[0]), ends[1])
    if estimate.low is None or estimate.high is None:
        return estimate._replace(mean=mean)
    low = min(max(estimate.low, ends[0]), mean)
    high = max(min(estimate.high, ends[1]), mean)
    return estimate._replace(mean=mean, low=low, high=high)
