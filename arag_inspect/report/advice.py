"""Which stage loses most facts, and so what to change."""

from collections.abc import Mapping
from typing import NamedTuple

from ..stats.estimates import Estimate, compare
from ..stats.multiplicity import holm
from .benchmark import Benchmark, once
from .fact_paths import STAGES, Stage, shares
from .table import Signed, show

LOSSES: tuple[Stage, ...] = ("not_found", "not_read", "left_out", "wrong", "unread")
"""Stages that can be at fault."""

BOUNDS = ("closed_book", "oracle", "reference")
"""Solvers that show how low and how high a measure can be, and get no advice."""

TOLERATED = 0.05
"""Share of facts that may be stated wrongly, or without having been read, before it is named."""

_WORDS: dict[Stage, tuple[str, str]] = {
    "not_found": ("finds no chunk of", "change the retriever (queries, top_k), not the writer"),
    "not_read": ("finds and does not read", "change what it opens of the search results"),
    "left_out": ("reads and leaves out", "change the writer (prompt, length), not the retriever"),
    "wrong": ("states wrongly", "change the writer, which alters figures"),
    "unread": ("states without having read", "its trace is incomplete, or it knows them by heart"),
}
"""What a system does with the facts of a stage, and what to do about it."""

_ALPHA = 0.05


class Advice(NamedTuple):
    """The stage to change in one system."""

    system: str
    stage: Stage
    text: str
    reference: str | None
    """System that loses fewer facts there; None if the stage is the largest of this system."""


@once
def advice(benchmark: Benchmark) -> tuple[Advice, ...]:
    """Name the stage to change in each system, where one stands out.

    1. With a system to compare with (the baseline, else an earlier run of the same solver and
       model): the stage whose share of facts rose most, if the rise is shown (95 % interval,
       and p corrected over the stages).
    2. Facts stated wrongly, or without having been read, beyond what is tolerated (5 %; what the
       closed book states), since they make every other figure doubtful.
    3. The largest loss beyond what is expected: the writer is expected to leave out the share that
       it leaves out with the gold evidence, if the oracle was run.

    There is none where the intervals of the two largest overlap, or with a single company.
    """
    measured = {system for system, _ in shares(benchmark)}
    return tuple(
        named
        for run in benchmark.rows
        if run.system in measured and run.solver not in BOUNDS
        for named in [_risen(benchmark, run.system) or _largest(benchmark, run.system)]
        if named
    )


def _risen(benchmark: Benchmark, system: str) -> Advice | None:
    """Return the stage at which a system loses more facts than its reference."""
    own, reference = shares(benchmark), _reference(benchmark, system)
    if reference is None or (reference, "stated") not in own:
        return None
    pairs = {
        stage: pair
        for stage in LOSSES
        for pair in [
            compare(own[system, stage], own[reference, stage], benchmark.clusters, span=1.0)
        ]
        if pair is not None
    }
    ps = dict(zip(pairs, holm([pair.p for pair in pairs.values()]), strict=True))
    rises = {name: Signed(pair.difference, pair.low, pair.high) for name, pair in pairs.items()}
    stage = _standing_out(rises)
    if stage is None or ps[stage] >= _ALPHA:
        return None
    note = f"{show(rises[stage])} against {reference}"
    share = benchmark.mean(own[system, stage], (0, 1))
    return Advice(system, stage, _sentence(system, stage, share, note), reference)


def _largest(benchmark: Benchmark, system: str) -> Advice | None:
    """Return the stage at which a system loses most facts beyond what is expected."""
    own = {stage: shares(benchmark)[system, stage] for stage in STAGES}
    measured = {stage: benchmark.mean(own[stage], (0, 1)) for stage in LOSSES}
    known_by_heart = _of(benchmark, "closed_book", "unread")
    tolerated: dict[Stage, float] = {
        "wrong": TOLERATED,
        "unread": max(TOLERATED, known_by_heart or 0.0),
    }
    doubts = {
        stage: Signed(share.mean - most, (share.low or 0) - most, share.high - most)
        for stage, most in tolerated.items()
        if (share := measured[stage]) and share.high is not None and (share.low or 0) > most
    }
    omitted = _of(benchmark, "oracle", "left_out")
    expected = (omitted or 0.0) * (own["left_out"] + own["wrong"] + own["stated"])
    excess = {**own, "left_out": own["left_out"] - expected}
    losses = {
        stage: Signed(*share[:3])
        for stage in LOSSES[:3]
        if (share := benchmark.mean(excess[stage], (-1, 1)))
    }
    stage = _standing_out(doubts) or _standing_out(losses)
    if stage is None:
        return None
    note = f"{omitted:.0%} with the gold evidence" if omitted is not None else ""
    note = note if stage == "left_out" else ""
    return Advice(system, stage, _sentence(system, stage, measured[stage], note), None)


def _sentence(system: str, stage: Stage, share: Estimate | None, note: str) -> str:
    does, remedy = _WORDS[stage]
    size = f"{share.mean:.0%}" if share else "some"
    if share and share.low is not None and share.high is not None:
        size += f" [{share.low:.0%}, {share.high:.0%}]"
    note = f" ({note})" if note else ""
    return f"{system} {does} {size} of the facts{note}: {remedy}."


def _standing_out(figures: Mapping[Stage, Signed]) -> Stage | None:
    """Return the stage of the largest figure above 0 whose interval is above every other's."""
    order = sorted(figures, key=lambda stage: -figures[stage].value)
    lows = [figures[stage].low for stage in order]
    if not order or lows[0] is None or lows[0] <= 0:
        return None
    if any((high := figures[stage].high) is None or high >= lows[0] for stage in order[1:]):
        return None
    return order[0]


def _reference(benchmark: Benchmark, system: str) -> str | None:
    """Return the system to compare with: the baseline, or the first run of the same solver."""
    own = benchmark.runs.loc[system]
    if (baseline := benchmark.choices.baseline) in benchmark.systems:
        return baseline if baseline != system else None
    runs = benchmark.runs
    same = runs[
        (runs["solver"] == own["solver"])
        & (runs["model"] == own["model"])
        & (runs["created"] < own["created"])
    ]
    return None if same.empty else str(same.sort_values("created")["system"].iloc[0])


def _of(benchmark: Benchmark, solver: str, stage: Stage) -> float | None:
    """Return the mean share of a stage in the run of a bound; None if it was not run."""
    for run in benchmark.rows:
        values = shares(benchmark).get((run.system, stage))
        share = None if run.solver != solver or values is None else benchmark.mean(values, (0, 1))
        if share:
            return share.mean
    return None
