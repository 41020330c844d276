"""Success criteria of a run, and whether they are met."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Literal, NamedTuple

import pandas as pd

from ..._util.wording import join_names
from ..cells import Over, Share, Signed, raw
from ..criterion import Criterion
from ..frames import NOT_ANSWERED
from ..labels import label_of
from ..rows import RunRow
from ..study import Study
from .comparability import compare_pair, pair_values
from .positions import positions
from .primary import primary_measures

CriterionVerdict = Literal["met", "not met", "not shown"]


Figure = Signed | Over | None
"""Figure of a criterion; None if missing."""


class CriterionResult(NamedTuple):
    """Outcome of a criterion: a row of the table."""

    criterion: str
    systems: str
    at_least: float
    figure: Figure
    verdict: CriterionVerdict


def judge_criteria(study: Study) -> tuple[CriterionResult, ...]:
    """Evaluate every criterion; a criterion without a figure is `not shown`.

    With an interval, a criterion is met if all of it is at or above the minimum,
    and not met if all of it is below. Counted shares describe this run; they are not estimates.
    """
    outcomes = []
    styles = set(study.answers["style"])
    for criterion in study.choices.criteria:
        if styles <= set(criterion.except_styles):
            continue
        at_least = criterion.at_least
        for systems, figure in list(_cases(study, criterion)) or [("-", None)]:
            verdict = _verdict(figure, at_least)
            outcomes.append(CriterionResult(criterion.name, systems, at_least, figure, verdict))
    return tuple(outcomes)


def _cases(study: Study, criterion: Criterion) -> Iterator[tuple[str, Figure]]:
    """Yield the systems and figure of each case to which a criterion applies, by measure."""
    if criterion.statistic in _COUNTED:
        yield from _counted_cases(study, criterion)
        return
    measure = criterion.measure
    keys = (measure,) if measure in study.catalogue.keys else study.catalogue.keys_of(measure)[:1]
    for key in keys if measure else primary_measures(study):
        if key in study.catalogue.keys:
            yield from _cases_on_measure(study, criterion, key)


def _cases_on_measure(
    study: Study, criterion: Criterion, measure: str
) -> Iterator[tuple[str, Figure]]:
    """Yield the cases of a criterion about a measure."""
    runs = study.rows
    match criterion.statistic:
        case "difference":
            solvers = criterion.system, criterion.over
            first = [run for run in runs if run.solver == criterion.system]
            second = [run for run in runs if run.solver == criterion.over]
            for a, b in product(first, second):
                if a.model == b.model:
                    yield f"{a.system} − {b.system}", _gap(study, criterion, measure, a, b)
            present = {run.solver for run in runs}
            missing = [label_of(name) for name in solvers if name not in present]
            if missing:
                yield f"no run of {join_names(missing)}", None
        case "unchanged":
            is_one_solver = len({run.solver for run in runs}) == 1
            if is_one_solver and len(runs) == 2:
                yield " − ".join(study.systems), _gap(study, criterion, measure, *runs)
        case "share_of_way":
            for position in positions(study, measure):
                yield position.system, position.share


def _counted_cases(study: Study, criterion: Criterion) -> Iterator[tuple[str, Figure]]:
    """Yield the share of answers that meet a criterion, if it applies to any."""
    answers = study.answers
    solvers = answers["system"].map(study.runs["solver"])
    is_selected = (solvers == criterion.system) | (not criterion.system)
    is_selected &= _applies(criterion, answers["style"])
    hits = _COUNTED[criterion.statistic](study, answers[is_selected])
    if len(hits):
        systems = label_of(criterion.system) or "all"
        yield systems, Over(Share(float(hits.mean())), len(hits))


def _applies(criterion: Criterion, styles: "pd.Series[str]") -> "pd.Series[bool]":
    """Return whether a criterion applies to answers, by their styles."""
    is_style = (styles == criterion.style) | (not criterion.style)
    return is_style & ~styles.isin(criterion.except_styles)


def _gap(study: Study, criterion: Criterion, measure: str, a: RunRow, b: RunRow) -> Figure:
    """Return the difference of two runs; without an interval if they were measured differently."""
    among = _applies(criterion, study.samples["style"]).to_numpy(bool)
    pair = a.system, b.system, measure
    comparison = compare_pair(study, *pair, among=among)
    if comparison is None:
        return None
    if pair_values(study, *pair).nowhere_alike:
        return Signed(comparison.difference)
    return Signed.of(comparison)


def _verdict(figure: Figure, threshold: float) -> CriterionVerdict:
    low = high = None
    if isinstance(figure, Over):
        low = high = float(raw(figure) or 0)
    elif figure is not None:
        low = figure.low
        high = figure.high
    if low is None or high is None:
        return "not shown"
    if low >= threshold:
        return "met"
    return "not met" if high < threshold else "not shown"


def _have_error_codes(study: Study, answers: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether each answer graded below the middle of a scale has an error code."""
    values = study.by_answer.reindex(answers.index)
    graded = [spec for spec in study.catalogue.specs if spec.graded and spec.key in values]
    middles = {spec.key: ((spec.low or 0) + (spec.high or 0)) / 2 for spec in graded}
    low = (values[list(middles)] < pd.Series(middles, dtype=float)).any(axis=1)
    return answers.loc[low, "codes"].dropna().map(bool)


def _readable(study: Study, answers: pd.DataFrame) -> "pd.Series[bool]":
    verdicts = study.first_verdicts
    return verdicts.loc[verdicts["answer"].isin(answers.index), "reason"].isna()


def _retrieval(study: Study, answers: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether each answer with gold and retrieval has precision and recall."""
    with_gold = answers["gold"].map(lambda gold: bool(gold.chunk_ids))
    retrieved = _answered_rows(answers[(answers["context"] == "retrieved") & with_gold])
    names = [study.catalogue.key_of("precision"), study.catalogue.key_of("recall")]
    return study.by_answer.reindex(retrieved.index, columns=names).notna().all(axis=1)


def _effort(study: Study, answers: pd.DataFrame) -> "pd.Series[bool]":
    return _answered_rows(answers)[["cost_usd", "latency_ms"]].notna().all(axis=1)


def _answered_rows(answers: pd.DataFrame) -> pd.DataFrame:
    return answers[~answers["outcome"].isin(NOT_ANSWERED)]


def _are_finished(study: Study, answers: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether each sample ended without an error; a skipped sample needs a reason."""
    skipped = (answers["outcome"] == "skipped") & answers["error"].isna()
    return ~(answers["outcome"].isin(("errored", "truncated")) | skipped)


_COUNTED: dict[str, Callable[[Study, pd.DataFrame], "pd.Series[bool]"]] = {
    "share_coded": _have_error_codes,
    "share_readable": _readable,
    "share_retrieval": _retrieval,
    "share_effort": _effort,
    "share_finished": _are_finished,
}
