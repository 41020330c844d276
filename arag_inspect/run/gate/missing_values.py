"""Values that a run should have but lacks, by reason."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..._util.wording import format_count
from ...judge.unscored import NOTHING_STATED, OF_THE_SAMPLE
from ...report import Study
from ...report.comparison.unjudged import could_not_be_judged, why_unjudged
from ...report.rows import RunRow
from ...types.sample import UNANSWERABLE
from .rules import Rule

if TYPE_CHECKING:
    import pandas as pd

NOT_RUN = "requested but not run"
"""Status of a requested sample that a run did not answer."""

_NO_SCORE = "without a score"
"""Status of an answer that the scorer did not score."""


class MissingValue(NamedTuple):
    """Why a run has no value for a sample."""

    status: str
    reason: str | None = None
    is_of_earlier_run: bool = False
    is_right: bool = False
    """Whether the answer rightly states nothing, since the documents do not answer the question."""

    @property
    def is_inapplicable(self) -> bool:
        """Whether the measure does not apply to the sample, whatever the answer is."""
        return self.status == "unscored" and self.reason in OF_THE_SAMPLE

    @property
    def states_nothing(self) -> bool:
        """Whether the answer states nothing that the measure could score."""
        return self.is_right or (self.status == "unscored" and self.reason in NOTHING_STATED)

    def __str__(self) -> str:
        text = f"{self.status} ({self.reason})" if self.reason else self.status
        return f"{text} in the earlier run" if self.is_of_earlier_run else text


def inapplicable_to_pair(change: Study, measure: str) -> list[MissingValue]:
    """Return the missing values of samples that lack a value in both runs."""
    new, old = change.rows
    scored_samples = _samples_with_value(change, measure)[old.system]
    missing = missing_values(change, new, measure)
    return [value for (sample, _), value in missing.items() if sample not in scored_samples]


def describe_inapplicable(missing: Iterable[MissingValue]) -> str:
    """Return how many samples a measure does not apply to, by reason; empty if none."""
    reasons = Counter(
        str(value.reason).replace("_", " ") for value in missing if value.is_inapplicable
    )
    if not reasons:
        return ""
    samples = format_count(reasons.total(), "sample")
    reasons_text = ", ".join(f"{reason}: {count}" for reason, count in reasons.most_common())
    return f"{samples} left out: the measure does not apply ({reasons_text})"


def stopped_at_error(study: Study, run: RunRow) -> bool:
    """Return whether a failed sample ended a run early."""
    answers = study.answers[study.answers["system"] == run.system]
    return bool(run.status == "error" and (answers["outcome"] == "errored").any())


def losses_of_pair(change: Study, rule: Rule) -> Counter[MissingValue]:
    """Count the samples, by epoch, with a value in only one of two runs, by reason.

    Samples that a run was not asked for are not missing. Nor is a value that only the declining
    run lacks, if it is the new run and declines rightly, or if the new run answers no worse than
    the rule allows compared with the earlier run's mean.
    """
    new, old = change.rows
    measure = rule.measure
    mean_before = change.known_values(old.system, measure).mean()
    changes = change.known_values(new.system, measure) - mean_before
    allowed_samples = {sample for sample, value in changes.items() if rule.allows(value)}
    scored = _samples_with_value(change, measure)
    losses: Counter[MissingValue] = Counter()
    for run, other in ((new, old), (old, new)):
        missing = _answers_without_score(change, run, measure)
        missing |= missing_values(change, run, measure)
        for (sample, _), value in missing.items():
            is_better = value.is_right
            if run is old:
                is_answered_since = value.states_nothing and sample in allowed_samples
                is_better = is_answered_since and not value.is_right
            if value.status == NOT_RUN or (sample in scored[other.system] and not is_better):
                losses[value._replace(is_of_earlier_run=run is old)] += 1
    if not new.limited:
        planned = {sample for sample, _ in _planned_pairs(change, new)}
        losses[MissingValue("not in the new run")] = len(scored[old.system] - planned)
    return losses


def samples_of_new_run_alone(change: Study, measure: str) -> list[str]:
    """Return the samples with a value in the new run that the earlier run should have but lacks."""
    new, old = change.rows
    scored = _samples_with_value(change, measure)
    missing = _answers_without_score(change, old, measure)
    missing |= missing_values(change, old, measure)
    lacking = {sample for sample, _ in missing} - scored[old.system]
    return [sample for sample in change.sample_ids if sample in lacking & scored[new.system]]


def _answers_without_score(
    study: Study, run: RunRow, measure: str
) -> dict[tuple[str, int], MissingValue]:
    """Return the samples of a run that are not even listed as missing a measure.

    The run may lack the scorer; and measures that a report computes, such as `rightly_declined`,
    exist only for answers.
    """
    answers = study.answers[study.answers["system"] == run.system]
    scores = study.scores_of(measure)
    scored_ids = set(scores.loc[scores["system"] == run.system, "id"])
    rows = zip(answers["id"], answers["epoch"], answers["outcome"], strict=True)
    return {
        (sample, epoch): MissingValue(_NO_SCORE if outcome == "answered" else str(outcome))
        for sample, epoch, outcome in rows
        if sample not in scored_ids
    }


def missing_values(study: Study, run: RunRow, measure: str) -> dict[tuple[str, int], MissingValue]:
    """Return why a run has no value, by sample and epoch."""
    scores = study.scores_of(measure)
    is_missing = (scores["system"] == run.system) & scores["value"].isna()
    missing = scores[is_missing].set_index(["id", "epoch"])
    values = {key: _missing_value(study, missing.loc[[key]]) for key in missing.index}
    unanswered = _planned_pairs(study, run) - _answered_pairs(study, run)
    values |= dict.fromkeys(unanswered, MissingValue(NOT_RUN))
    values |= dict.fromkeys(run.invalidated, MissingValue("invalidated"))
    return values


def _samples_with_value(study: Study, measure: str) -> dict[str, set[str]]:
    """Return the samples on which a measure has a value, by system."""
    valued = study.scores_of(measure).dropna(subset=["value"])
    return {system: set(values["id"]) for system, values in study.by_system(valued)}


def _planned_pairs(study: Study, run: RunRow) -> set[tuple[str, int]]:
    """Return the sample and epoch pairs that a run was asked for or answered."""
    return {*run.asked, *run.invalidated, *_answered_pairs(study, run)}


def _answered_pairs(study: Study, run: RunRow) -> set[tuple[str, int]]:
    answers = study.answers[study.answers["system"] == run.system]
    return set(zip(answers["id"], answers["epoch"], strict=True))


def _missing_value(study: Study, scores: "pd.DataFrame") -> MissingValue:
    score = scores.iloc[0]
    if could_not_be_judged(scores).any():
        return MissingValue("not judged", why_unjudged(study, scores))
    status = _NO_SCORE if score["status"] == "missing" else str(score["status"])
    value = MissingValue(status, score["reason"])
    answers = study.answers[study.answers["answer"] == score["answer"]]
    is_right = value.states_nothing and (answers["question_type"] == UNANSWERABLE).any()
    return MissingValue(status, UNANSWERABLE, is_right=True) if is_right else value
