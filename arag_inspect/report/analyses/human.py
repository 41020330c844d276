"""Tables of human marks: their agreement with measures, and corrected means."""

from collections.abc import Iterator

import numpy as np

from ...measure import MeasureSpec
from ...stats.agreement import alpha, both_known, kappa, spearman, tau
from ..analysis import RowCells, analysis
from ..cells import Cell, Share
from ..comparison.human import FEWEST_MARKS, are_on_scale, corrected_by, corrections, has_kappa
from ..study import Study


@analysis(
    "Agreement with people",
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
def human_agreement(study: Study) -> Iterator[RowCells]:
    """Yield the agreement of each measure with human marks."""
    human_by_judge = corrections(study)
    for human in (spec for spec in study.catalogue.specs if spec.family == "human"):
        judged = [key for key, marks in human_by_judge.items() if marks == human.key]
        measures = [spec for spec in study.catalogue.specs if _is_comparable(spec)]
        for other in sorted(measures, key=lambda spec: spec.key not in judged):
            scale = study.catalogue.spec(judged[0]) if judged else None
            answers, agreement = _agreement_with(study, human, other, scale)
            if any(cell is not None for cell in agreement.values()):
                yield {
                    "marks": human.label,
                    "measure": other.label,
                    "answers": answers,
                    "agreement": agreement,
                }


def _is_comparable(measure: MeasureSpec) -> bool:
    """Return whether people may agree with a measure."""
    return measure.is_quality and measure.family not in ("human", "cost")


def _agreement_with(
    study: Study, human: MeasureSpec, other: MeasureSpec, judged: MeasureSpec | None
) -> tuple[int, dict[str, Cell]]:
    """Return the number of answers and the agreement by coefficient, None where undefined.

    Args:
        study: Systems that are compared.
        human: Human marks.
        other: The measure that they are compared with.
        judged: The measure whose scale they have; None if unknown.
    """
    marks, values = both_known(study.pool(human.key), study.pool(other.key))
    is_alike = _measures_like(other, judged) if judged else are_on_scale(marks, other)
    same = None
    if is_alike and len(marks):
        same = Share(float((np.abs(marks - values) < other.tie).mean()))
    is_categorical = is_alike and has_kappa(marks, values, other)
    return len(marks), {
        "same": same,
        "rho": spearman(marks, values),
        "tau": tau(marks, values),
        "kappa": kappa(marks, values) if is_categorical else None,
        "alpha": alpha(np.column_stack([marks, values])) if is_categorical else None,
    }


def _measures_like(measure: MeasureSpec, judged: MeasureSpec) -> bool:
    """Return whether a measure is judged, or says the same on the same scale."""
    has_scale = (measure.low, measure.high) == (judged.low, judged.high)
    has_aspect = bool(judged.aspect) and measure.aspect == judged.aspect
    return measure.key == judged.key or (has_scale and has_aspect)


@analysis(
    "Means corrected by people",
    text="""
    The mean human mark of all answers, estimated from human marks of some answers and the
    judge's verdicts on all of them (prediction-powered inference), with Student's 95 %
    interval within the judge's scale (Wilson's if all marks are at the same end of it). Marks
    that were not drawn at random only bound the mean and its interval. If no mark differs from its
    verdict, the interval says how many other verdicts may be wrong. Correcting a mean needs at
    least six random marks. Marks correct only the measure they are for, on its scale. The less a
    judge's verdicts vary with the marks, the less they count; a corrected mean is then nearer to
    the mean of the marked answers, and may lie on the other side of the judge's mean than the
    single corrections. If all answers are marked, it is their mean, without an interval to either
    side.
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
def corrected_means(study: Study) -> Iterator[RowCells]:
    """Yield the mean human mark of all answers, by judged measure and system."""
    for judge, human in corrections(study).items():
        for system in study.systems:
            mean = corrected_by(study, human, judge, system)
            if mean is not None:
                yield {
                    "marks": study.catalogue.spec(human).label,
                    "judge": study.catalogue.spec(judge).label,
                    "system": system,
                    "answers marked": mean.n,
                    "mean of the judge": float(np.nanmean(study.values_of(system, judge))),
                    "corrected mean": mean if mean.n >= FEWEST_MARKS else None,
                }
