"""Make the runs of one task comparable: give them the same measures, on the same samples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import nan

from ..._util.grouping import group
from ...measure import MeasureSpec
from ...types.sample import QUESTION, known_styles
from ..rows import AnswerRow, ScoreRow, answer_key
from .runs import Run
from .systems import task_of


def align_measures(runs: Sequence[Run]) -> list[Run]:
    """Return runs with shared measure keys and declarations in each task."""
    aligned: dict[str, Run] = {}
    for alike in group(runs, lambda run: task_of(run.row)).values():
        specs: dict[str, MeasureSpec] = {}
        for run in alike:
            specs |= run.row.declared
        keys = _keys_by_scorer(alike)
        for run in alike:  # a run without any figure of a measure shows nothing about it
            row = run.row._replace(declared={**specs, **run.row.declared})
            aligned[run.row.eval_id] = _with_keys(replace(run, row=row), keys)
    return [aligned[run.row.eval_id] for run in runs]


def _keys_by_scorer(runs: Iterable[Run]) -> dict[str, tuple[str, ...]]:
    """Return the measures of each scorer that has several keys."""
    keys: dict[str, dict[str, None]] = {}
    for run in runs:
        for score in run.scores:
            is_keyed = score.measure.startswith(f"{score.scorer}.")
            if is_keyed and score.scorer not in run.row.measures:
                keys.setdefault(score.scorer, {})[score.measure] = None
    return {scorer: tuple(measures) for scorer, measures in keys.items()}


def _with_keys(run: Run, keys: Mapping[str, tuple[str, ...]]) -> Run:
    """Return a run in which scorers without values have the keys of other runs."""
    with_value = {score.measure for score in run.scores if score.status == "scored"}
    without_value = keys.keys() - with_value
    names = {name: keys[name] if name in without_value else (name,) for name in run.row.measures}
    if without_value.isdisjoint(names):
        return run
    scores = []
    for score in run.scores:
        scores += [score._replace(measure=measure) for measure in names[score.measure]]
    row = run.row._replace(measures=tuple(chain.from_iterable(names.values())))
    return replace(run, row=row, scores=scores)


def without_summaries(run: Run, answers: Iterable[AnswerRow]) -> Run:
    """Return a run in which scorers that decide only questions are unscored on summaries.

    That is, if some samples are questions and others have a known style of summaries.

    Args:
        run: A run.
        answers: Answers of all runs of its benchmark.
    """
    styles = {answer.style for answer in answers}
    summary_styles = styles.intersection(known_styles()) - {QUESTION}
    if not summary_styles or QUESTION not in styles:
        return run
    summaries = {answer_key(answer) for answer in run.answers if answer.style in summary_styles}
    specs = run.row.declared.values()
    scorers = {spec.scorer for spec in specs if spec.decides == ("answer",)}

    def unscore(score: ScoreRow) -> ScoreRow:
        is_scored = score.status == "scored" and score.scorer in scorers
        if is_scored and answer_key(score) in summaries:
            return score._replace(value=nan, status="unscored", reason="not_a_question")
        return score

    return replace(run, scores=list(map(unscore, run.scores)))
