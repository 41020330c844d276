"""Find the stage that loses most facts, and advise what to change."""

from collections.abc import Mapping
from typing import NamedTuple

from ..._util.wording import join_or_count
from ...stats.estimates import Estimate
from ...stats.multiple_tests import holm
from ...stats.power import ALPHA
from ...types.system import system_named
from ..cells import Signed, show
from ..comparison.contestants import contestants
from ..comparison.means import mean_of_values
from ..comparison.primary import answer_measures, end_of_scale
from ..fact_paths import (
    LOSSES,
    STAGES,
    Stage,
    compare_stage,
    has_answers,
    of_answers,
    shares,
    unlocated_shares,
)
from ..rows import RunRow
from ..study import Study, cached_per_study

TOLERATED = 0.05
"""Share of facts stated wrongly, or without having been read, above which it is reported."""

WIDEST = 0.5
"""Maximum interval width of a share for which advice is given."""

_RETRIEVER = "change the retriever (queries, top_k)"
_WRITER = "change the writer (prompt, length)"

_WORDS: dict[Stage, tuple[str, str]] = {
    "not_found": ("does not find", f"{_RETRIEVER}, not the writer"),
    "not_read": ("finds but does not read", "change which search results it opens"),
    "left_out": ("reads but leaves out", f"{_WRITER}, not the retriever"),
    "wrong": ("states wrongly", "change the writer (prompt, model)"),
    "unread": (
        "states without having read",
        "its trace is incomplete, or the model knew them already",
    ),
}
"""Description of what a system does with the facts of each stage, and of what to change."""

_WITHOUT_RETRIEVER: dict[Stage, str] = {
    "not_found": "change which parts of the documents it is given",
    "left_out": _WRITER,
}
"""Change for a system that reads a given text."""


class Advice(NamedTuple):
    """The stage to change in one system."""

    system: str
    stage: Stage
    text: str
    reference: str | None
    """System that loses fewer facts there; None if the stage is the largest of this system."""


@cached_per_study
def advice(study: Study) -> tuple[Advice, ...]:
    """Name the stage to change in each system, where one stands out.

    1. With a system to compare with (the baseline, else an earlier run of the same solver and
       model): the stage whose share of facts rose most, if the rise is shown (95 % interval,
       and p corrected over the stages).
    2. Facts stated wrongly, or without having been read, beyond what is tolerated (5 %, or what the
       closed book states), since they make every other figure doubtful. A wrong answer to a
       question whose evidence was read is a loss like any other.
    3. The largest loss beyond what is expected: the writer is expected to leave out the share that
       it leaves out with the gold evidence, if the oracle was run.

    The earlier run of a change gets no advice. Nor does a system if the intervals of the two stages
    at which it loses most overlap, if the interval of the share is wider than a half, if all
    samples are of one group, if the chunk of more than a quarter of its facts is unknown, or if all
    systems are at one end of the scale of the first primary measure of answers (coverage, if it is
    one).
    """
    if any(end_of_scale(study, spec, contestants(study)) for spec in answer_measures(study)[:1]):
        return ()
    traced_systems = {system for system, _ in shares(study)}
    advice_list = []
    for run in study.rows:
        if run.system not in traced_systems or system_named(run.solver).bound:
            continue
        if run.system == _earlier_run(study):
            continue
        if run.system in unlocated_shares(study):
            continue
        cause = _find_increase(study, run) or _find_largest(study, run.system)
        if cause is None:
            continue
        text = _sentence(study, run.system, cause)
        if text:
            advice_list.append(Advice(run.system, cause.stage, text, cause.reference))
    return tuple(advice_list)


def without_advice(study: Study) -> str:
    """Name the contestants without advice; empty if no contestant has any."""
    advised = {item.system for item in advice(study)}
    traced = {system for system, _ in shares(study)}
    unadvised = traced - advised - {_earlier_run(study)}
    others = [name for name in contestants(study) if name in unadvised]
    if not (advised and others):
        return ""
    return f"No stage stands out for {join_or_count(others, 'other system')}."


class _Cause(NamedTuple):
    """The stage that loses facts."""

    stage: Stage
    note: str
    """Known figures of its share."""

    reference: str | None = None
    """System that loses fewer facts there."""


def _earlier_run(study: Study) -> str | None:
    """Return the earlier run of a change, which can no longer be changed; else None."""
    return study.systems[-1] if study.choices.is_change else None


def _find_increase(study: Study, run: RunRow) -> _Cause | None:
    """Return the stage at which a system loses more facts than its reference.

    A stage at which no sample differs can never be shown to have risen, and is not tested.
    """
    reference = _reference(study, run)
    if reference is None:
        return None
    stage_comparisons = {
        stage: compare_stage(study, run.system, reference, stage) for stage in LOSSES
    }
    pairs = {
        stage: pair
        for stage, pair in stage_comparisons.items()
        if pair is not None and pair.differing
    }
    ps = dict(zip(pairs, holm([pair.p for pair in pairs.values()]), strict=True))
    stage = _find_outlier({name: pair.estimate for name, pair in pairs.items()})
    if stage is None or ps[stage] >= ALPHA:
        return None
    rise = show(Signed.of(pairs[stage]))
    return _Cause(stage, f" ({rise} against {reference})", reference)


def _find_largest(study: Study, system: str) -> _Cause | None:
    """Return the stage at which a system loses most facts beyond what is expected.

    A stage at which it loses none does not compete, however few samples make its share uncertain.
    """
    stage_shares = {stage: shares(study)[system, stage] for stage in STAGES}
    by_heart = _share_of_bound(study, "floor", "unread")
    omitted = _share_of_bound(study, "ceiling", "left_out")
    tolerated: dict[Stage, float] = {"unread": max(TOLERATED, by_heart or 0.0)}
    ordinary = LOSSES[:3]
    if of_answers(study):
        ordinary = (*ordinary, "wrong")
    else:
        tolerated["wrong"] = TOLERATED
    doubts: dict[Stage, Estimate] = {}
    for stage, max_share in tolerated.items():
        excess = mean_of_values(study, stage_shares[stage] - max_share, (-max_share, 1 - max_share))
        if excess is not None and (excess.low or 0) > 0:
            doubts[stage] = excess
    expected = (omitted or 0.0) * (
        stage_shares["left_out"] + stage_shares["wrong"] + stage_shares["stated"]
    )
    beyond_expected = {**stage_shares, "left_out": stage_shares["left_out"] - expected}
    losses = {
        stage: mean_of_values(study, beyond_expected[stage], (-1, 1))
        for stage in ordinary
        if (shares(study)[system, stage] > 0).any()
    }
    largest = _find_outlier(doubts) or _find_outlier(losses)
    if largest is None:
        return None
    note = ""
    if largest == "left_out" and omitted is not None:
        note = f" ({omitted:.0%} with the gold evidence)"
    return _Cause(largest, note)


def _sentence(study: Study, system: str, cause: _Cause) -> str:
    """Describe the loss of facts and what to change; empty if the share is uncertain."""
    stage = cause.stage
    share = mean_of_values(study, shares(study)[system, stage], (0, 1))
    does, remedy = _WORDS[stage]
    if _is_given_documents(study, system):
        remedy = _WITHOUT_RETRIEVER.get(stage, remedy)
    facts = "facts"
    if of_answers(study):
        facts = "reference answers"
        does = "reads but does not get right" if stage == "wrong" else does
    elif stage == "wrong" and has_answers(study):
        does = "states wrongly or does not get right"
    if share is None or share.low is None or share.high is None or share.high - share.low > WIDEST:
        return ""
    size = f"{share.mean:.0%} [{share.low:.0%}, {share.high:.0%}]"
    return f"{system} {does} {size} of the {facts}{cause.note}: {remedy}."


def _is_given_documents(study: Study, system: str) -> bool:
    """Return whether a system reads what it is given, without a retriever."""
    return set(study.finished.loc[study.finished["system"] == system, "context"]) == {"document"}


def _find_outlier(figures: Mapping[Stage, Estimate | None]) -> Stage | None:
    """Return the stage of the largest mean if its interval is above 0 and above all others.

    For another mean without an interval, e.g. a difference that is the same in every group, use its
    value.
    """
    means = {stage: figure for stage, figure in figures.items() if figure is not None}
    if not means:
        return None
    largest, *others = sorted(means, key=lambda stage: -means[stage].mean)
    low = means[largest].low
    if low is None or low <= 0:
        return None
    for figure in (means[stage] for stage in others):
        end = figure.mean if figure.high is None else figure.high
        if not end < low:
            return None
    return largest


def _reference(study: Study, run: RunRow) -> str | None:
    """Return the system to compare with.

    It is the earlier run of a change, the baseline, or the first of the earlier runs of the
    same solver and model.
    """
    if study.choices.is_change:
        new, earlier = study.systems[0], study.systems[-1]
        return earlier if run.system == new != earlier else None
    baseline = study.choices.baseline
    if baseline in study.systems:
        return baseline if baseline != run.system else None
    runs = study.runs
    same = runs[(runs["solver"] == run.solver) & (runs["model"] == run.model)]
    same = same[same["created"] < run.created].sort_values("created")
    return None if same.empty else str(same["system"].iloc[0])


def _share_of_bound(study: Study, bound: str, stage: Stage) -> float | None:
    """Return the mean share of a stage for a bound such as the oracle; None if it was not run."""
    systems = [run.system for run in study.rows if system_named(run.solver).bound == bound]
    values = (shares(study).get((system, stage)) for system in systems)
    means = (mean_of_values(study, share) for share in values if share is not None)
    return next((mean.mean for mean in means if mean), None)
