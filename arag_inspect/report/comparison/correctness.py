"""Measures of whether an answer is right, and where two of them disagree."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..._util.names import short_name
from ..._util.wording import join_names
from ...measure import MeasureSpec
from ...stats.estimates import Floats
from ...stats.power import ALPHA, clusters_needed
from ...types.sample import UNANSWERABLE
from ..cells import Over, Share, mean_over
from ..load.declining import RIGHTLY_DECLINED as BY_FIRST_SENTENCE
from ..load.declining import begins_by_declining
from ..rows import AnswerRow
from ..study import Study, cached_per_study
from .comparability import compare_pair, pair_values
from .comparisons import Comparison, primary_pairs
from .leads import largest_lead, nearest_to_shown
from .primary import primary_measures

_DECLINED_QUESTIONS = (
    "share of answerable questions that the system declined instead of answering correctly, "
    "according to the judge (without a judge: the first sentence of the answer)."
)

RIGHTLY_DECLINED = (
    "share of unanswerable questions that the system declined, according to the judge (without a "
    "judge: the first sentence of the answer)."
)


Correctness = Literal["right", "wrong", "abstained"]

_OF_INSPECT = {"includes", "match", "exact", "choice", "model_graded_qa", "model_graded_fact"}
"""Scorers of Inspect that say whether an answer is right."""

_RIGHT = 0.5
"""Share of its scale at which an answer is right."""

_DECLINED = 0.5
"""Value of a measure of refusal at which an answer declines."""

_LARGE_SHARE = 0.5
"""Share of a scale at which a difference counts where too few groups allow a test."""


@cached_per_study
def correctness_measures(study: Study) -> tuple[MeasureSpec, ...]:
    """Return the measures of correctness that have any value, primary measures first.

    Measures without a scale say nothing about single answers and are left out. Without any, the
    primary measures that the reader chose whose values are all 0 or 1.
    """
    catalogue = study.catalogue
    keys = [key for key in catalogue.keys_of("correctness") if catalogue.spec(key).range_width]
    foreign = [key for key in catalogue.keys if short_name(key) in _OF_INSPECT]
    keys = list(dict.fromkeys((*keys, *foreign)))
    valued = [key for key in keys if study.scores_of(key)["value"].notna().any()]
    primary = primary_measures(study)
    valued.sort(key=lambda key: key not in primary)
    chosen_keys = [key for key in study.choices.primary if _is_right_or_wrong(study, key)]
    return tuple(map(catalogue.spec, valued or chosen_keys))


def outcome_of(study: Study, answer: AnswerRow) -> Correctness | None:
    """Return whether an answer is right; None if no measure of correctness says so."""
    for measure in correctness_measures(study):
        value = study.value(answer.answer, measure.key)
        if value is not None:
            if _is_right(measure, value):
                return "right"
            return "abstained" if _declines(study, answer) else "wrong"
    return None


def is_contested(study: Study, answer: AnswerRow) -> bool:
    """Return whether a judge and a program disagree whether an answer is right."""
    verdicts = set()
    for measure in _measures_of_right_answers(study):
        value = study.value(answer.answer, measure.key) if measure is not None else None
        if measure is not None and value is not None:
            verdicts.add(bool(_is_right(measure, value)))
    return len(verdicts) > 1


@cached_per_study
def declined_shares(study: Study) -> Mapping[str, float]:
    """Return the share of answers to answerable questions that decline and are not right.

    Empty if no system declines any.
    """
    shares = {}
    for system, answers in _answers_to_questions(study, unanswerable=False):
        declined = [
            outcome_of(study, answer) != "right" and _declines(study, answer) for answer in answers
        ]
        if declined:
            shares[system] = sum(declined) / len(declined)
    return shares if any(shares.values()) else {}


def describe_declined(study: Study) -> str:
    """Say what the share of declined questions is, and which other verdicts it does not count."""
    catalogue = study.catalogue
    keys = [key for key in catalogue.keys_of("refusal") if study.scores_of(key)["value"].any()]
    if len(keys) < 2:
        return _DECLINED_QUESTIONS
    first, *others = (catalogue.spec(key).label for key in keys)
    return (
        f"{_DECLINED_QUESTIONS} The verdict is that of {first}; {join_names(others)} may differ, "
        "and counts right answers and summaries too."
    )


@cached_per_study
def rightly_declined_shares(study: Study) -> Mapping[str, Over | None]:
    """Return the share of answers to unanswerable questions that decline; None without any."""
    return {
        system: mean_over([_declines(study, answer) for answer in answers], Share)
        for system, answers in _answers_to_questions(study, unanswerable=True)
    }


class Disagreement(NamedTuple):
    """A measure of correctness that ranks two systems differently from the primary one."""

    measure: MeasureSpec
    primary: MeasureSpec
    systems: tuple[str, str]
    """The system that it puts ahead, then the other system."""

    means: tuple[float, float]
    """Their means of it on the samples with values of both measures."""

    differing: int
    """Number of these on which the two measures disagree about either system."""

    n: int


@cached_per_study
def disagreements(study: Study) -> tuple[Disagreement, ...]:
    """Return the correctness measures that rank two systems differently from the primary one.

    If the primary measure ties them, a measure that separates them is returned. The systems are in
    the headline or, without a winner, nearly separated by the primary measure.
    """
    measures = correctness_measures(study)
    lead = stated_difference(study)
    if lead is None:
        return ()
    others = [measure for measure in measures if measure.key != lead.measure.key]
    return tuple(_disagreements(study, lead.measure, others, (lead.a, lead.b)))


@cached_per_study
def stated_difference(study: Study) -> Comparison | None:
    """Return the headline's lead or, without one, the difference nearest to being shown.

    None if it is not a difference in correctness.
    """
    keys = [measure.key for measure in correctness_measures(study)]
    pairs = [pair for pair in primary_pairs(study) if pair.measure.key in keys]
    lead = largest_lead(study) or nearest_to_shown(pairs)
    return lead if lead is not None and lead.measure.key in keys else None


class JudgeAndProgram(NamedTuple):
    """The answers on which a judge and a program disagree about one aspect."""

    judge: MeasureSpec
    program: MeasureSpec

    only_program: Mapping[str, Sequence[str]]
    """Samples with an answer that only the program finds right, with the systems that gave it."""

    only_judge: Mapping[str, Sequence[str]]
    """Samples with an answer that only the judge finds right, with the systems that gave it."""

    n: int
    """Number of samples with an answer that has values of both."""


@cached_per_study
def judge_and_program(study: Study) -> tuple[JudgeAndProgram, ...]:
    """Return where a judge and a program disagree: about right answers, then about declining.

    Empty if they agree, or if only one of them measures an aspect.
    """
    contradictions = []
    for judge, program in (_measures_of_right_answers(study), _measures_of_declining(study)):
        if judge is not None and program is not None:
            contradictions.append(_compare_verdicts(study, judge, program))
    return tuple(item for item in contradictions if item.only_program or item.only_judge)


@cached_per_study
def declined_by_program(study: Study) -> Mapping[str, Over | None]:
    """Return the share of unanswerable questions declined by first sentence, where judges disagree.

    Empty unless a judge and the first sentences disagree on any answer.
    """
    if not any(item.program == BY_FIRST_SENTENCE for item in judge_and_program(study)):
        return {}
    return {
        system: mean_over(values_by(study, system, BY_FIRST_SENTENCE), Share)
        for system in study.systems
    }


def program_beside(study: Study, judge: str) -> MeasureSpec | None:
    """Return the program that measures the same as a judge; None without one."""
    for judged, program in (_measures_of_right_answers(study), _measures_of_declining(study)):
        if judged is not None and judged.key == judge:
            return program
    return None


def values_by(study: Study, system: str, measure: MeasureSpec) -> Floats:
    """Return the values of a measure by sample, also those of first sentences beside a judge."""
    if measure.key != BY_FIRST_SENTENCE.key or measure.key in study.catalogue.keys:
        return study.values_of(system, measure.key)
    answers = dict(_answers_to_questions(study, unanswerable=True)).get(system, ())
    declined = [float(begins_by_declining(answer)) for answer in answers]
    by_answer = pd.Series(declined, [answer.id for answer in answers], dtype=float)
    by_sample = by_answer.groupby(level=0).mean().reindex(list(study.sample_ids))
    values: Floats = by_sample.to_numpy(float)
    return values


@cached_per_study
def _measures_of_right_answers(study: Study) -> tuple[MeasureSpec | None, MeasureSpec | None]:
    """Return the first judge and program that say whether an answer is right.

    The program's measure is one that decides if no judge was asked. `contain_match` is not: a right
    answer may use other words than the gold answer.
    """
    measures = correctness_measures(study)
    judges = (measure for measure in measures if measure.judged)
    programs = (measure for measure in measures if measure.role == "primary" and not measure.judged)
    return next(judges, None), next(programs, None)


def _measures_of_declining(study: Study) -> tuple[MeasureSpec | None, MeasureSpec]:
    """Return the judge and the program that say whether an unanswerable question was declined."""
    specs = map(study.catalogue.spec, study.catalogue.keys_of("right refusal"))
    return next((spec for spec in specs if spec.judged), None), BY_FIRST_SENTENCE


def _compare_verdicts(study: Study, judge: MeasureSpec, program: MeasureSpec) -> JudgeAndProgram:
    """Return where two measures disagree."""
    values, other_values = (
        np.array([values_by(study, system, measure) for system in study.systems])
        for measure in (judge, program)
    )
    both = ~np.isnan(values + other_values)
    by_judge, by_program = _is_right(judge, values), _is_right(program, other_values)
    return JudgeAndProgram(
        judge,
        program,
        _systems_by_sample(study, both & ~by_judge & by_program),
        _systems_by_sample(study, both & by_judge & ~by_program),
        int(both.any(axis=0).sum()),
    )


def _systems_by_sample(study: Study, answers: NDArray[np.bool_]) -> dict[str, list[str]]:
    """Return the systems whose answers are chosen by a mask, shape (systems, samples)."""
    systems_by_sample: dict[str, list[str]] = {}
    for sample, system in np.argwhere(answers.T):
        systems_by_sample.setdefault(study.sample_ids[sample], []).append(study.systems[system])
    return systems_by_sample


def _is_right_or_wrong(study: Study, key: str) -> bool:
    """Return whether a measure says of every answer that it is right or wrong."""
    measure = study.catalogue.spec(key)
    values = study.scores_of(key)["value"].dropna()
    is_of_answers = bool(measure.higher_is_better) and measure.family not in ("retrieval", "cost")
    return is_of_answers and bool(values.isin((0, 1)).all())


def _answers_to_questions(
    study: Study, *, unanswerable: bool
) -> Iterator[tuple[str, Sequence[AnswerRow]]]:
    """Yield the answers of each system to the questions that can, or cannot, be answered."""
    finished = study.finished
    is_answer = (finished["outcome"] == "answered") & (finished["style"] == "qa")
    is_asked = (finished["question_type"] == UNANSWERABLE) == unanswerable
    for system, answers in study.by_system(finished[is_answer & is_asked]):
        yield system, list(answers.itertuples(index=False))


def _declines(study: Study, answer: AnswerRow) -> bool:
    """Return whether an answer declines, by a judge's verdict or by its first sentence."""
    catalogue = study.catalogue
    for key in (*catalogue.keys_of("refusal"), *catalogue.keys_of("right refusal")):
        refusal = study.value(answer.answer, key)
        if refusal is not None:
            return refusal >= _DECLINED
    return begins_by_declining(answer)


def _disagreements(
    study: Study, stated: MeasureSpec, others: list[MeasureSpec], systems: tuple[str, str]
) -> Iterator[Disagreement]:
    """Yield the other measures that reverse two systems, or separate tied systems."""
    for other in others:
        pairs = [pair_values(study, *systems, measure.key) for measure in (stated, other)]
        values, other_values = (np.array([pair.a, pair.b]) for pair in pairs)
        both = ~np.isnan(values + other_values).any(axis=0)
        if any(pair.nowhere_alike for pair in pairs) or not both.any():
            continue
        values = values[:, both]
        other_values = other_values[:, both]
        lead = _lead(stated, values)
        is_tie_broken = lead == 0 and _separates(study, other, systems)
        if lead * _lead(other, other_values) >= 0 and not is_tie_broken:
            continue
        means = zip(other_values.mean(axis=1).tolist(), systems, strict=True)
        (less, behind), (more, ahead) = sorted(means)
        differs = (_is_right(stated, values) != _is_right(other, other_values)).any(axis=0)
        yield Disagreement(
            other, stated, (ahead, behind), (more, less), int(differs.sum()), len(differs)
        )


def _lead(measure: MeasureSpec, values: Floats) -> float:
    """Return by how much the first of two systems leads, shape (2, samples); 0 for a tie."""
    first, second = values.mean(axis=1)
    return 0.0 if abs(first - second) <= measure.tie else float(first - second)


def _separates(study: Study, measure: MeasureSpec, systems: tuple[str, str]) -> bool:
    """Return whether two systems differ significantly or, with too few groups, by half a scale."""
    paired = compare_pair(study, *systems, measure.key)
    if paired is None:
        return False
    if paired.clusters >= clusters_needed(1):
        return paired.p < ALPHA
    return abs(paired.difference) >= _LARGE_SHARE * (measure.range_width or 1.0)


def _is_right(measure: MeasureSpec, values: Floats | float) -> NDArray[np.bool_]:
    """Return whether values are in the better half of a scale, 0 to 1 for Inspect's scorers."""
    middle = (measure.low or 0.0) + _RIGHT * (measure.range_width or 1.0)
    if measure.higher_is_better is False:
        return np.asarray(values <= middle + measure.tie)
    return np.asarray(values >= middle - measure.tie)
