"""Tables of answer quality and success criteria."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from ..._util.wording import format_count
from ...measure import MeasureFamily, MeasureSpec
from ...stats.estimates import Estimate
from ...types.sample import QUESTION
from ..analysis import RowCells, Words, analysis
from ..cells import Share, mean_over
from ..comparison.criteria import judge_criteria
from ..comparison.means import good_shares, mean_of_values, means_by_system
from ..comparison.primary import primary_measures
from ..study import Study

_HEADLINE: tuple[MeasureFamily, ...] = (
    "judgement",
    "facts",
    "retrieval",
    "overlap",
    "human",
    "other",
)
_MOST_LISTED = 4
"""Maximum number of systems whose counts are listed one by one."""

_MOST_COMPANIES = 12
"""Maximum number of companies whose questions are listed apart."""

_FEWEST_OF_COMPANY = 3
"""Mean number of questions from which companies are listed."""

_DIRECTIONS = {True: "high", False: "low", None: "-"}


def _words_on_human_marks(study: Study) -> Words:
    """Return what the caption of the scores says of human marks, if there are any."""
    if not any(spec.family == "human" for spec in study.catalogue.specs):
        return {"human": "", "human_samples": ""}
    return {
        "human": "Human marks cover the answers that were not chosen for their verdicts.",
        "human_samples": " (for human marks, those in the mean)",
    }


@analysis(
    "Scores",
    text="""
    Mean with its 95 % interval over {clusters} (Wilson's with the design effect if the measure has
    bounds, otherwise Student's; none with a single one). {human} Epochs of a sample are averaged
    first. Without bounds, an interval of zero width means that all values are equal, not that the
    mean is certain.
    Samples: scored / unscored / skipped, by system if these differ{human_samples}; the appendix
    has every count. Measures without any value are left out; the appendix has the reasons.
    """,
    words=_words_on_human_marks,
    section="quality",
    order=10,
)
def headline(study: Study) -> Iterator[RowCells]:
    """Yield the mean of every measure by system, and the number of samples."""
    for spec in study.catalogue.specs:
        means = means_by_system(study, spec.key)
        if spec.family in _HEADLINE and any(means.values()):
            is_human = spec.family == "human"
            yield {
                "measure": spec.label,
                "better": _DIRECTIONS[spec.higher_is_better],
                "means": means,
                "samples": _mark_counts(means.values()) if is_human else _counts(study, spec),
            }


@analysis(
    "Good grades",
    text="""
    Share of answers graded at least 4 on a scale of 1 to 5, or at the same point of another scale:
    first over a sample's epochs, then over the n samples.
    """,
    section="quality",
    order=20,
)
def good_grades(study: Study) -> Iterator[RowCells]:
    """Yield the share of good grades by measure and system."""
    for spec in study.catalogue.specs:
        if spec.good_grade is not None:
            shares = {
                system: mean_over(good_shares(study, system, spec), Share)
                for system in study.systems
            }
            if any(shares.values()):
                yield {"measure": spec.label, "at least": spec.good_grade, "shares": shares}


@analysis(
    "By kind of question",
    text="""
    Mean of the main measures over the n questions with a value: of each type, of each kind of
    reasoning, and of each {cluster} if there are at most twelve with several questions each.
    Epochs of a sample are averaged first.
    """,
    words=lambda study: {"cluster": study.cluster},
    section="quality",
    order=30,
)
def by_question(study: Study) -> Iterator[RowCells]:
    """Yield the means of the main measures by type of question, by reasoning and by company.

    A measure that no system has for a kind, such as correctness for unanswerable ones, has no row.
    """
    for by, kinds in _kinds_of_questions(study):
        for kind in sorted({*kinds} - {""}):
            values_of_kind = study.values.loc[kinds.index[kinds == kind]]
            for main in study.catalogue.main:
                means = {}
                for system in study.systems:
                    values = values_of_kind.get((main.key, system))
                    means[system] = None if values is None else mean_over(values)
                if any(means.values()):
                    yield {"by": by, "questions": kind, "measure": main.label, "means": means}


def _kinds_of_questions(study: Study) -> Iterator[tuple[str, "pd.Series[str]"]]:
    """Yield ways to group the questions, each with the group of every sample.

    Companies are groups if a few of them have several questions each.
    """
    for by in ("type", "reasoning"):
        kinds = study.samples[f"question_{by}"].fillna("")
        if kinds.nunique() > 1:
            yield by, kinds
    companies = study.samples["company"].fillna("")
    count = companies.nunique()
    has_questions = bool((study.samples["style"] == QUESTION).any())
    if has_questions and 1 < count <= min(_MOST_COMPANIES, len(companies) / _FEWEST_OF_COMPANY):
        yield study.cluster, companies


@analysis(
    "By part of the task",
    text="""
    Primary measures with their 95 % intervals, by subject, language or another part of the
    task that has its own logs. All parts: the mean over all samples, with the parts as strata,
    so that differences between parts do not widen its interval.
    """,
    section="quality",
    order=40,
)
def by_part(study: Study) -> Iterator[RowCells]:
    """Yield the means of the primary measures by part of the task."""
    parts = study.parts.to_numpy(str)
    names = sorted(set(parts))
    if len(names) < 2:
        return
    for measure in map(study.catalogue.spec, primary_measures(study)):
        bounds = measure.low, measure.high
        for name in names:
            means = {}
            for system in study.systems:
                in_part = np.where(parts == name, study.values_of(system, measure.key), np.nan)
                means[system] = mean_of_values(study, in_part, bounds)
            yield {"measure": measure.label, "part": name, "means": means}
        overall = means_by_system(study, measure.key)
        yield {"measure": measure.label, "part": "all parts", "means": overall}


def _mark_counts(means: Iterable[Estimate | None]) -> str:
    """Return how many human marks the mean of each system counts, once if equal for all."""
    counts = [str(mean.n if mean else 0) for mean in means]
    return counts[0] if len(set(counts)) == 1 else "; ".join(counts)


def _counts(study: Study, measure: MeasureSpec) -> str:
    """Return samples scored / unscored / skipped, stated once if equal for all systems.

    Many systems are counted, e.g. `24 / 0 / 0 (12 systems); 0 / 24 / 0 (4 systems)`.
    """
    statuses: Any = study.statuses.loc[measure.key]
    counts = []
    for system in study.systems:
        by_status = statuses.loc[system]
        counts.append(f"{by_status.scored} / {by_status.unscored} / {by_status.skipped}")
    systems_by_count = Counter(counts)
    if len(systems_by_count) == 1:
        return counts[0]
    if len(counts) <= _MOST_LISTED:
        return "; ".join(counts)
    return "; ".join(
        f"{count} ({format_count(systems, 'system')})"
        for count, systems in systems_by_count.most_common()
    )


@analysis(
    "Success criteria",
    text="""
    Met: the whole 95 % interval is at or above the minimum. Not met: the whole interval is below
    it. Not shown: the interval includes the minimum, or no figure is available. Shares of codes and
    verdicts are counts of this run.
    """,
    id="criteria",
    section="overview",
    order=20,
)
def success(study: Study) -> Iterator[RowCells]:
    """Yield the outcome of each success criterion."""
    for result in judge_criteria(study):
        yield {
            "criterion": result.criterion,
            "systems": result.systems,
            "at least": result.at_least,
            "here": result.figure,
            "verdict": result.verdict,
        }
