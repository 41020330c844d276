"""Primary measures that could not be judged: on which samples, and why."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from ..._util.wording import format_count, join_names
from ...judge.unread_verdicts import unread_by_judge
from ...measure import MeasureSpec
from ...types.score_metadata import JudgeRecord, read_metadata
from ..study import Study, cached_per_study
from .primary import FAILED, asked_for, kinds_of_answers, primary_measures, primary_of

_MOST_NOT_FOUND = 0.1
"""Share of listed statements that may differ in wording from the answer; a capable judge has 0."""


def report_replaced(study: Study) -> Iterator[str]:
    """Report measures that would decide but have no value, why, and what decides instead."""
    primary = primary_measures(study)
    if study.choices.primary or not primary:
        return
    usual = primary_of(kinds_of_answers(study), asked_for(study, FAILED))
    deciding = join_names([study.catalogue.spec(name).label for name in primary])
    for name in usual:
        if name not in primary:
            scores = study.scores_of(name)
            why = why_unjudged(study, scores[could_not_be_judged(scores)]).rstrip(".")
            text = f"{study.catalogue.spec(name).label} has no value on any sample"
            yield f"{text}, so the systems are ranked by {deciding}. {why}"


class Unjudged(NamedTuple):
    """A primary measure of one system without a value on some or all samples."""

    measure: MeasureSpec
    system: str
    failed: int
    of: int
    """Number of samples for which the measure was requested."""

    reason: str
    """Most frequent reason."""

    judge: str | None = None
    """Judge without readable verdicts on samples whose values come from other judges or rules."""

    def __str__(self) -> str:
        by = f" by {self.judge}" if self.judge else ""
        extent = f"{self.failed} of {format_count(self.of, 'sample')} of {self.system}"
        return f"{self.measure.label} could not be judged{by} on {extent} ({self.reason})"


@cached_per_study
def unjudged_measures(study: Study) -> tuple[Unjudged, ...]:
    """Return the primary measures that could not be judged, most affected samples first."""
    failures = []
    for measure in map(study.catalogue.spec, primary_measures(study)):
        for system, scores in study.by_system(study.scores_of(measure.key)):
            failed = scores[could_not_be_judged(scores)]
            if len(failed):
                why = why_unjudged(study, failed)
                asked_for_count = len(failed) + int(scores["value"].notna().sum())
                failures.append(Unjudged(measure, system, len(failed), asked_for_count, why))
            failed_everywhere = set(failed["answer"])
            for judge, verdict_reasons in unread_verdicts(scores).items():
                reasons = verdict_reasons.dropna()
                if not failed_everywhere.issuperset(reasons.index):
                    why = str(reasons.value_counts().index[0])
                    counts = len(reasons), len(verdict_reasons)
                    failures.append(Unjudged(measure, system, *counts, why, judge))
    return tuple(sorted(failures, key=lambda failure: -failure.failed / failure.of))


@cached_per_study
def unread_elsewhere(study: Study) -> tuple[str, ...]:
    """Report other measures with unreadable verdicts, also where rules replaced the judge."""
    primary = {study.catalogue.spec(key).scorer for key in primary_measures(study)}
    others = study.scores[~study.scores["scorer"].isin(primary)]
    texts = []
    for scorer, of_scorer in others.groupby("scorer", sort=False):
        label = study.catalogue.spec(of_scorer["measure"].iloc[0]).label
        name = label if of_scorer["measure"].nunique() == 1 else scorer
        for system, scores in study.by_system(of_scorer):
            for judge, reasons in unread_verdicts(scores).items():
                lost = reasons.notna().sum()
                if lost:
                    samples = format_count(len(reasons), "sample")
                    judged = f"the {samples} of {system} that asked the judge"
                    extent = f"{lost} of {judged} ({name})"
                    why = reasons.value_counts().index[0]
                    texts.append(f"{judge} gave no readable verdict on {extent}: {why}")
    return tuple(texts)


@cached_per_study
def refuted_grades(study: Study) -> tuple[str, ...]:
    """Count the samples whose grade contradicts the judge's own list."""
    texts = []
    for graded in _graded_by_judges(study):
        count = sum(record.contradiction is not None for record in graded.records)
        if count:
            text = f"{graded.judge} gave a grade that contradicts its own list on {count} of "
            texts.append(f"{text}{format_count(graded.samples, 'sample')} of {graded.where}")
    return tuple(texts)


@cached_per_study
def lists_of_other_texts(study: Study) -> tuple[str, ...]:
    """Report judges that listed statements or items in other words than the text has."""
    texts = []
    for graded in _graded_by_judges(study):
        not_found = sum(record.not_found or 0 for record in graded.records)
        statements = sum(len(record.statements) for record in graded.records)
        total = statements + sum(len(record.items) for record in graded.records)
        if total and not_found > _MOST_NOT_FOUND * total:
            kind, origin = ("statement", "answers") if statements else ("item", "references")
            text = f"{not_found} of the {format_count(total, kind)} that {graded.judge} listed for "
            texts.append(f"{text}{graded.where} are not, word for word, in the {origin}")
    return tuple(texts)


class _Graded(NamedTuple):
    """The grades that one judge gave the answers of a system by one scorer."""

    judge: str
    where: str
    """The system and the scorer."""

    samples: int
    records: list[JudgeRecord]


def _graded_by_judges(study: Study) -> Iterator[_Graded]:
    """Yield the grades of each scorer, system and judge."""
    graded = study.scores[study.scores["details"].map(bool).astype(bool)]
    for _, of_scorer in graded.groupby("scorer", sort=False):
        label = study.catalogue.spec(of_scorer["measure"].iloc[0]).label
        for system, scores in study.by_system(of_scorer.drop_duplicates("answer")):
            by_judge: dict[str, list[JudgeRecord]] = {}
            for details in scores["details"]:
                for record in read_metadata(details).judges:
                    by_judge.setdefault(record.grader, []).append(record)
            for judge, records in by_judge.items():
                yield _Graded(judge, f"{system} ({label})", len(scores), records)


def not_judged(study: Study) -> tuple[str, ...]:
    """Report which deciding measures could not be judged, starting with what decides instead."""
    return (*report_replaced(study), *map(str, unjudged_measures(study)))


def unread_verdicts(scores: pd.DataFrame) -> "dict[str, pd.Series[str]]":
    """Return why verdicts could not be read, by judge and answer; None for readable verdicts."""
    by_judge: dict[str, dict[str, str | None]] = {}
    for answer, details in scores.drop_duplicates("answer")[["answer", "details"]].values:
        for judge, (reason,) in unread_by_judge([details]).items():
            by_judge.setdefault(judge, {})[answer] = reason
    return {judge: pd.Series(reasons, dtype=object) for judge, reasons in by_judge.items()}


def silent_judges(study: Study) -> tuple[str, ...]:
    """Name each judge without a readable verdict in a run or on one of its primary measures."""
    scorers = {study.catalogue.spec(name).scorer for name in primary_measures(study)}
    silent: dict[str, None] = {}
    for _, verdicts in study.by_system(study.first_verdicts):
        by_scorer = [verdicts[verdicts["scorer"] == name] for name in scorers]
        for group in [verdicts, *by_scorer]:
            heard = group["reason"].isna().groupby(group["judge"], sort=False).any()
            silent |= dict.fromkeys(map(str, heard.index[~heard]))
    return tuple(silent)


def could_not_be_judged(scores: pd.DataFrame) -> "pd.Series[bool]":
    """Return which scores are missing because their scorer ran and failed."""
    failed: pd.Series[bool] = scores["reason"].isin(FAILED)
    return failed


def why_unjudged(study: Study, scores: pd.DataFrame) -> str:
    """Return the most frequent reason why scores could not be judged, preferably a judge's."""
    judged = study.first_verdicts.dropna(subset=["reason"])
    by_judge = scores.drop(columns="reason").merge(judged[["answer", "scorer", "reason"]])
    others = scores[~scores["answer"].isin(by_judge["answer"])]
    reasons = pd.concat([by_judge["reason"], others["text"].fillna(others["reason"])])
    return str(reasons.value_counts().index[0])
