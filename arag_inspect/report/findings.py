"""Findings on each primary measure in plain words."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from ..types.measures import MeasureSpec
from .advice import BOUNDS, advice
from .benchmark import Benchmark
from .comparisons import (
    MEASURED_DIFFERENTLY,
    OTHER_QUESTIONS,
    Comparison,
    clusters_short_of,
    compared,
    primary_measures,
    unjudged,
)
from .labels import counted, in_sentence, plural
from .table import raw, show
from .tables.leaderboard import Leaderboard, rank_systems

_VERBS = {
    "geval_faithfulness": "is more faithful than",
    "geval_coverage": "covers more than",
    "retrieval_pr.recall": "finds more of the evidence than",
    "llm_accuracy.correct": "is right more often than",
    "numeric_match": "is right more often than",
}

_NOT_JUDGED = "Not judged"
_NOT_COMPARED = (MEASURED_DIFFERENTLY, OTHER_QUESTIONS)
_GOOD = 0.75
"""Part of a scale of grades from which a grade is good: 4 of 1 to 5."""

_MOST_LISTED = 3
"""Most pairs, systems or samples that a sentence names; the tables have all."""


class Finding(NamedTuple):
    """The finding on one primary measure, or on all if there is nothing to compare."""

    topic: str
    """Label of the measure."""

    text: str
    shown: bool
    """Whether any system is shown to be better."""

    @property
    def unjudged(self) -> bool:
        """Whether it says that a measure could not be judged; such findings come first."""
        return self.topic == _NOT_JUDGED


def findings(benchmark: Benchmark) -> tuple[Finding, ...]:
    """State for each primary measure which system is better, if any.

    First what could not be judged, and whether there are too few groups of samples for any
    winner; at the end, which stage of each system loses most facts (`advice`). Of one system
    alone, how good it is, beside the closed book and the references where these were run.
    """
    lacking = [Finding(_NOT_JUDGED, f"{failure}.", False) for failure in unjudged(benchmark)]
    few = [Finding(f"Too few {plural(benchmark.cluster)}", text, False) for text in _few(benchmark)]
    results = []
    contestants = [run.system for run in benchmark.rows if run.solver not in BOUNDS]
    for measure in map(benchmark.spec, primary_measures(benchmark)):
        sentences = list(_alone(benchmark, measure, contestants))
        sentences += _sentences(benchmark, measure)
        if sentences:
            has_winner = any(pair.winner for pair in _primary(benchmark, measure))
            results.append(Finding(measure.label, " ".join(sentences), has_winner))
    results.sort(key=lambda finding: not finding.shown)
    if not (results or few or lacking):
        results = [Finding("Nothing to compare", f"{_nothing(benchmark)}.", False)]
    advised = " ".join(own.text for own in advice(benchmark))
    change = [Finding("What to change", advised, False)] if advised else []
    return (*lacking, *few, *results, *change)


def headline(benchmark: Benchmark) -> str:
    """Say who is best in what, by how much and at what price, or what it takes to show it.

    First what could not be judged; of one system alone, its means.
    """
    board = rank_systems(benchmark)
    silent = [
        f"{row.system} answered none of {row.of:,} samples." for row in board.rows if not row.count
    ]
    if not board.measures:
        parts = ["No primary measure has a score, so nothing is compared."]
    elif len(board.rows) < 2:
        parts = _means(board)
    else:
        leads: list[str] = []
        ties: list[str] = []
        for measure in board.measures:
            own = list(_sentences(benchmark, measure, brief=True))
            decided = any(pair.winner for pair in _primary(benchmark, measure))
            leads, ties = (leads + own, ties) if decided else (leads, ties + own[-1:])
        parts = [*_few(benchmark), *leads, *ties, *_cheapest(board)]
    return " ".join(filter(None, [board.unjudged, *silent, *parts]))


def _few(benchmark: Benchmark) -> Iterator[str]:
    """Say that there are too few groups of samples for any winner, if so."""
    own = [pair for pair in compared(benchmark) if pair.role == "primary"]
    if (needed := clusters_short_of(own)) is not None:
        clusters = max(pair.paired.clusters for pair in own)
        yield (
            f"With {counted(clusters, benchmark.cluster)} no difference can be shown: for "
            f"{counted(len(own), 'primary comparison')} the exact permutation test needs at least "
            f"{needed}."
        )


def _means(board: Leaderboard) -> list[str]:
    row = board.rows[0]
    means = [
        f"{in_sentence(measure)} {show(standing.mean)}"
        for measure, standing in zip(board.measures, row.standings, strict=True)
        if standing is not None
    ]
    price = f", at {show(row.cost.value)} per question" if row.cost and raw(row.cost) else ""
    return [f"{row.system}: {', '.join(means)}{price}."] if means else []


def _cheapest(board: Leaderboard) -> Iterator[str]:
    for name, phrase in (("cost", "is cheapest"), ("tokens", "takes the fewest tokens")):
        spent = [getattr(row, name) for row in board.rows]
        amounts = [float(raw(value) or 0) for value in spent if value is not None]
        if len(amounts) == len(spent) and len(set(amounts)) > 1:
            cheapest = amounts.index(min(amounts))
            each = show(spent[cheapest].value) if name == "cost" else f"{amounts[cheapest]:,.0f}"
            yield f"{board.rows[cheapest].system} {phrase} ({each} per question)."
            return


def _alone(benchmark: Benchmark, measure: MeasureSpec, contestants: Sequence[str]) -> Iterator[str]:
    """Yield how good the only contestant is on a measure, and its weakest samples."""
    mean = benchmark.estimate(contestants[0], measure.key) if len(contestants) == 1 else None
    if mean is None:
        return
    system = contestants[0]
    scores = pd.Series(benchmark.of(system, measure.key), benchmark.sample_ids).dropna()
    text = f"{system} has {show(mean)} on {mean.n} samples"
    if measure.graded and measure.span:
        good = (measure.low or 0) + _GOOD * measure.span
        text += f", {(scores >= good).mean():.0%} at {good:g} or better"
    for other in benchmark.systems:
        if other != system and (bound := benchmark.estimate(other, measure.key)):
            text += f", where {other} has {bound.mean:.3g}"
    weakest = scores.sort_values(ascending=bool(measure.higher_is_better), kind="stable")
    listed = ", ".join(f"{name} ({score:.2g})" for name, score in weakest[:_MOST_LISTED].items())
    yield f"{text}; weakest: {listed}."


def _nothing(benchmark: Benchmark) -> str:
    """Say why there is nothing to compare."""
    answers = benchmark.answers
    if not (answers["outcome"] == "answered").any():
        why = answers["outcome"] + answers["error"].map(lambda text: f": {text}" if text else "")
        listed = [f"{count} {why}" for why, count in Counter(why).most_common(_MOST_LISTED)]
        return f"No sample was answered ({'; '.join(listed)})"
    return f"No two of {', '.join(benchmark.systems)} have a primary measure in common"


def _primary(benchmark: Benchmark, measure: MeasureSpec) -> list[Comparison]:
    return [
        pair
        for pair in compared(benchmark)
        if pair.measure.key == measure.key and pair.role == "primary"
    ]


def _sentences(benchmark: Benchmark, measure: MeasureSpec, *, brief: bool = False) -> Iterator[str]:
    """Yield who is better on a measure, what is not compared, equal or not shown.

    Args:
        benchmark: The benchmark.
        measure: A primary measure.
        brief: Only the systems that no other beats, and the largest lead of theirs that is not
            shown; without one, what is not shown.
    """
    pairs, name = _primary(benchmark, measure), in_sentence(measure)
    won = [pair for pair in pairs if pair.winner]
    yield from _wins(benchmark, measure, won, brief)
    if brief and won:
        best = {pair.winner for pair in won} - {pair.loser for pair in won}
        left = [pair for pair in pairs if best & {pair.a, pair.b} and not pair.winner]
        left = [pair for pair in left if pair.doubt not in _NOT_COMPARED]
        if left:
            largest = max(left, key=lambda pair: abs(pair.paired.difference))
            yield f"Not shown in {name}: {_gap(benchmark, largest)}."
        return
    for doubt in _NOT_COMPARED:
        if unlike := [pair for pair in pairs if pair.doubt == doubt]:
            yield f"{_pairs(unlike)} are not compared in {name} ({doubt})."
    rest = [pair for pair in pairs if pair.doubt not in (None, *_NOT_COMPARED)]
    alike = [pair for pair in rest if not (pair.paired.wins or pair.paired.losses)]
    if alike:
        systems = {system for pair in pairs for system in (pair.a, pair.b)}
        every = len(alike) == math.comb(len(systems), 2)
        yield (f"{'All systems' if every else _pairs(alike)} have the same {name} on every sample.")
    left = [pair for pair in rest if pair not in alike]
    if left and (brief or clusters_short_of(pairs) is None):
        largest = max(left, key=lambda pair: abs(pair.paired.difference))
        other = "other " if won else ""
        yield f"No {other}difference in {name} is shown; the largest: {_gap(benchmark, largest)}."
    left_out = {pair.left_out for pair in pairs}
    if not brief and any(left_out):
        up_to = "up to " if len(left_out) > 1 else ""
        why = "as measured differently or with another question"
        yield f"Samples left out {why}: {up_to}{max(left_out)}."


def _wins(
    benchmark: Benchmark, measure: MeasureSpec, won: Sequence[Comparison], brief: bool
) -> Iterator[str]:
    """Yield a sentence for each system that beats others; of many, if no other beats it."""
    verb = _VERBS.get(measure.key, f"is better in {in_sentence(measure)} than")
    brief |= len(benchmark.systems) > _MOST_LISTED + 1
    beaten = {pair.loser for pair in won}
    for system in benchmark.systems:
        own = [pair for pair in won if pair.winner == system]
        if not own or (brief and system in beaten):
            continue
        listed = [_lead(benchmark, pair, system) for pair in own]
        if len(listed) > _MOST_LISTED:
            nearest = min(own, key=lambda pair: abs(pair.paired.difference))
            listed = [f"{len(own)} others, the nearest {_lead(benchmark, nearest, system)}"]
        yield f"{system} {verb} {' and '.join(listed)}."


def _lead(benchmark: Benchmark, pair: Comparison, winner: str) -> str:
    """Return the loser with its distance, and the winner's cost as a multiple of its own."""
    loser, gap = _seen_by(pair, winner)
    for name, column in (("cost", "cost_usd"), ("tokens", "tokens")):
        means = benchmark.finished.groupby("system")[column].mean()
        own, other = means.get(winner), means.get(loser)
        if own and other and own == own and other == other:
            ratio = own / other
            return (
                f"{loser} ({gap}, at {ratio:{'.1f' if ratio >= 0.1 else '.1g'}} times the {name})"
            )
    return f"{loser} ({gap})"


def _gap(benchmark: Benchmark, pair: Comparison) -> str:
    """Return who is ahead of whom, by how much, and what it takes to show it."""
    paired = pair.paired
    ahead = (paired.difference >= 0) == (pair.measure.higher_is_better is not False)
    first = pair.a if ahead else pair.b
    second, gap = _seen_by(pair, first)
    text = f"{first} over {second}, {gap}"
    if paired.low is not None and paired.high is not None and not paired.low <= 0 <= paired.high:
        text += " before the correction for several comparisons"
    needed = pair.needed or 0
    if needed <= paired.n or clusters_short_of([pair]) is not None:
        return text
    groups = -(-needed * paired.clusters // paired.n)
    own = f" of {counted(groups, benchmark.cluster)}" if paired.clusters < paired.n else ""
    return f"{text}; it would take about {needed:,} samples{own}"


def _seen_by(pair: Comparison, first: str) -> tuple[str, str]:
    """Return the other system of a pair, and the lead of the first over it."""
    second = pair.b if first == pair.a else pair.a
    return second, show(pair.seen_from(second)[1])


def _pairs(pairs: Sequence[Comparison]) -> str:
    if len(pairs) > _MOST_LISTED:
        return f"{len(pairs)} pairs of systems"
    return ", ".join(f"{pair.a} and {pair.b}" for pair in pairs)
