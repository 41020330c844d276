"""Tables of human marks: their agreement with measures, and corrected means."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..._util.wording import format_count
from ...measure import MeasureKey, MeasureSpec
from ...stats.agreement import alpha, both_known, kappa, spearman, tau, varies
from ...stats.corrected_mean import corrected_mean
from ...stats.estimates import Estimate, Floats
from ...stats.power import clusters_needed
from ..analysis import analysis
from ..cells import Cell, Share, show
from ..comparison.means import random_marks
from ..comparison.primary import primary_measures
from ..study import Study, cached_per_study

HUMAN = "human"
"""Scorer of human marks."""

FEWEST_MARKS = clusters_needed(1)
"""Fewest marks of random answers by which a mean is corrected: as few as can show a difference."""


@analysis(
    "Agreement with people",
    columns="marks | measure | answers | same | rho | tau | kappa | alpha",
    text="""
    Over all human-marked answers: how often a mark equals the value, Spearman's rho, Kendall's
    tau-b and, for grades and values of 0 or 1, Cohen's kappa (quadratic weights) and Krippendorff's
    alpha (ordinal), if both vary. Equality, kappa and alpha need the same scale. Marks named after
    a judged measure are compared with it (in the first row) and with measures of the same aspect.
    Measures without any of these figures are left out.
    """,
    section="method",
    order=30,
)
def human_agreement(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield the agreement of each measure with human marks."""
    human_by_judge = corrections(study)
    for human in (spec for spec in study.catalogue.specs if spec.family == "human"):
        judged = [key for key, marks in human_by_judge.items() if marks == human.key]
        measures = [spec for spec in study.catalogue.specs if _is_comparable(spec)]
        for other in sorted(measures, key=lambda spec: spec.key not in judged):
            scale = study.catalogue.spec(judged[0]) if judged else None
            cells = _agreement_with(study, human, other, scale)
            if any(cell is not None for cell in cells[1:]):
                yield human.label, other.label, *cells


def _is_comparable(measure: MeasureSpec) -> bool:
    """Return whether people may agree with a measure."""
    return measure.is_quality and measure.family not in ("human", "cost")


def _agreement_with(
    study: Study, human: MeasureSpec, other: MeasureSpec, judged: MeasureSpec | None
) -> Sequence[Cell]:
    """Return answers, share of equal values, rho, tau, kappa and alpha; None where undefined.

    Args:
        study: Systems that are compared.
        human: Human marks.
        other: The measure that they are compared with.
        judged: The measure whose scale they have; None if unknown.
    """
    marks, values = both_known(study.pool(human.key), study.pool(other.key))
    is_alike = _measures_like(other, judged) if judged else _are_on_scale(marks, other)
    same = None
    if is_alike and len(marks):
        same = Share(float((np.abs(marks - values) < other.tie).mean()))
    coefficients: tuple[Cell, Cell] = (None, None)
    if is_alike and _has_kappa(marks, values, other):
        coefficients = kappa(marks, values), alpha(np.column_stack([marks, values]))
    return len(marks), same, spearman(marks, values), tau(marks, values), *coefficients


def _measures_like(measure: MeasureSpec, judged: MeasureSpec) -> bool:
    """Return whether a measure is a judged one, or says the same on the same scale."""
    has_scale = (measure.low, measure.high) == (judged.low, judged.high)
    has_aspect = bool(judged.aspect) and measure.aspect == judged.aspect
    return measure.key == judged.key or (has_scale and has_aspect)


def _has_kappa(marks: Floats, values: Floats, measure: MeasureSpec) -> bool:
    """Return whether values are grades, or 0 or 1, and both they and the marks vary."""
    is_graded = measure.graded or bool(np.isin(np.concatenate([marks, values]), (0, 1)).all())
    return is_graded and varies(marks) and varies(values)


@cached_per_study
def agreement_sentences(study: Study) -> list[str]:
    """Say how often people agree with the judge, for each primary measure that they marked."""
    sentences = []
    human_by_judge = corrections(study)
    for measure in map(study.catalogue.spec, primary_measures(study)):
        human = human_by_judge.get(measure.key)
        if human is None:
            continue
        marks, values = both_known(study.pool(human), study.pool(measure.key))
        if not len(marks):
            continue
        same = int((np.abs(marks - values) < measure.tie).sum())
        text = f"{measure.label}: {same} of {format_count(len(marks), 'mark')} equal the judge's"
        coefficient = kappa(marks, values) if _has_kappa(marks, values, measure) else None
        kappa_text = "" if coefficient is None else f" (kappa {show(coefficient)})"
        sentences.append(f"{text} {'grade' if measure.graded else 'value'}{kappa_text}.")
    return sentences


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
        corrected = _find_named(judged, MeasureKey.parse(human.key).value_key)
        if human.label == "Human" and len({spec.scorer for spec in judged}) == 1:
            corrected = main
        if len(corrected) == 1:
            marks = study.scores_of(human.key)["value"].to_numpy(float)
            if _are_on_scale(marks, corrected[0]):
                human_by_judge.setdefault(corrected[0].key, human.key)
    return human_by_judge


def _find_named(judged: Sequence[MeasureSpec], name: str) -> list[MeasureSpec]:
    """Return the judged measures with a key, or else with a part of it or a label without scale."""
    with_key = [spec for spec in judged if name == spec.key]
    with_label = [
        spec for spec in judged if name in (spec.value_key, spec.label.partition(" (")[0].lower())
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
    that were not drawn at random only bound the mean and its interval. Correcting a mean needs at
    least six random marks. Marks correct only the measure they are for, on its scale.
    """,
    meanings={
        "corrected mean": (
            "Mean that people would give, estimated from their marks of some answers and the "
            "judge's verdicts on all"
        ),
    },
    section="method",
    order=40,
)
def corrected_means(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield the mean human mark of all answers, by judged measure and system."""
    for judge, human in corrections(study).items():
        labels = study.catalogue.spec(human).label, study.catalogue.spec(judge).label
        for system in study.systems:
            mean = corrected_by(study, human, judge, system)
            if mean is not None:
                judged = float(np.nanmean(study.values_of(system, judge)))
                yield *labels, system, mean.n, judged, mean if mean.n >= FEWEST_MARKS else None


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
