"""State how often people agree with the judge, and with the program that measures the same."""

import numpy as np

from ..._util.wording import format_count, join_names
from ...measure import MeasureSpec
from ...stats.agreement import both_known, kappa
from ...stats.estimates import Floats
from ..cells import show
from ..comparison.correctness import program_beside, values_by
from ..comparison.human import corrections, has_kappa
from ..comparison.primary import primary_measures
from ..load.declining import RIGHTLY_DECLINED
from ..study import Study, cached_per_study


@cached_per_study
def agreement_sentences(study: Study) -> list[str]:
    """Say how often people agree with the judge, for each measure of the leaderboard they marked.

    If they agree more often with a program that measures the same, say so.
    """
    sentences = []
    human_by_judge = corrections(study)
    keys = dict.fromkeys((*primary_measures(study), *study.catalogue.keys_of("right refusal")))
    for measure in map(study.catalogue.spec, keys):
        human = human_by_judge.get(measure.key)
        if human is None:
            continue
        marks, values = both_known(study.pool(human), study.pool(measure.key))
        if not len(marks):
            continue
        same = _count_same(marks, values, measure)
        text = f"{measure.label}: {same} of {format_count(len(marks), 'mark')} equal the judge's"
        coefficient = kappa(marks, values) if has_kappa(marks, values, measure) else None
        kappa_text = "" if coefficient is None else f" (kappa {show(coefficient)})"
        text = f"{text} {'grade' if measure.graded else 'value'}{kappa_text}"
        more = _agreement_with_program(study, measure, human)
        if measure.key not in primary_measures(study):
            more += _describe_overturn(study, measure, human)
        sentences.append(f"{text}{more}.")
    return sentences


def _count_same(marks: Floats, values: Floats, measure: MeasureSpec) -> int:
    return int((np.abs(marks - values) < measure.tie).sum())


def _agreement_with_program(study: Study, judge: MeasureSpec, human: str) -> str:
    """Return how many marks equal a program's value, if more than equal the judge's; else nothing.

    E.g. `, but 9 of 9 equal the program's (Right answer; --primary answer_match lets it decide)`.
    """
    program = program_beside(study, judge.key)
    if program is None:
        return ""
    by_program = np.concatenate([values_by(study, system, program) for system in study.systems])
    marks, by_judge = study.pool(human), study.pool(judge.key)
    is_known = ~np.isnan(marks + by_judge + by_program)
    same = _count_same(marks[is_known], by_program[is_known], program)
    if same <= _count_same(marks[is_known], by_judge[is_known], judge):
        return ""
    name = f"the program's ({program.label}; --primary {program.key} lets it decide)"
    if program.key == RIGHTLY_DECLINED.key:
        name = "what the first sentence of the answer says"
    return f", but {same} of {is_known.sum():,} equal {name}"


def _describe_overturn(study: Study, judge: MeasureSpec, human: str) -> str:
    """Return the counts of systems on the leaderboard that people would change.

    E.g. `; Stuffing has 2 of 3 by people and 3 by the judge`.
    """
    clauses = []
    for system in study.systems:
        marks, values = both_known(
            study.values_of(system, human), study.values_of(system, judge.key)
        )
        if abs(marks.sum() - values.sum()) > judge.tie:
            clauses.append(
                f"{system} has {marks.sum():g} of {len(marks):,} by people and {values.sum():g} by "
                "the judge"
            )
    return f"; {join_names(clauses)}" if clauses else ""
