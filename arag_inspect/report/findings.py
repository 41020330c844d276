"""Findings on each primary measure in plain words."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from ..types.measures import MeasureSpec
from .advice import advice
from .benchmark import Benchmark
from .comparisons import (
    MEASURED_DIFFERENTLY,
    OTHER_QUESTIONS,
    TOO_FEW,
    Comparison,
    clusters_short_of,
    compared,
)
from .labels import counted, in_sentence, plural
from .primary import primary_measures, unjudged
from .table import Signed, raw, show
from .tables.leaderboard import Leaderboard, rank_systems

_VERBS = {
    "geval_faithfulness": "is more faithful than",
    "geval_coverage": "covers more than",
    "retrieval_pr.recall": "finds more of the evidence than",
    "llm_accuracy.correct": "is right more often than",
    "numeric_match": "is right more often than",
}

_NOT_JUDGED = "Not judged"
_ADVICE = "What to change"

_GOOD = 0.75
"""Part of a scale of grades from which a grade is good: 4 of 1 to 5."""

_BOUNDS = {
    "closed_book": "no document (closed book)",
    "oracle": "the gold evidence (oracle)",
    "reference": "the reference itself",
}
"""Solvers that show how low and how high a measure can be, in words."""

_MOST_LISTED = 3
"""Most pairs or systems that a sentence names; the tables have all."""


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

    At the end, which stage of each system loses most facts, where one stands out (`advice`).
    Of one system alone, how good it is, beside the closed book and the references where these
    were run. First, what could not be judged.
    """
    lacking = [Finding(_NOT_JUDGED, f"{failure}.", False) for failure in unjudged(benchmark)]
    comparisons = compared(benchmark)
    results = []
    needed = clusters_short_of(comparisons)
    if needed is not None:
        results.append(_too_few(needed, comparisons, benchmark.cluster))
    for measure in map(benchmark.spec, primary_measures(benchmark)):
        contestants = [run.system for run in benchmark.rows if run.solver not in _BOUNDS]
        if len(contestants) == 1:
            results += _alone(benchmark, contestants[0], measure)
        own = _primary(benchmark, measure)
        sentences = [*_wins(benchmark, measure, own), *_undecided(measure, own), *_left_out(own)]
        if sentences:
            has_winner = any(pair.winner for pair in own)
            results.append(Finding(measure.label, " ".join(sentences), has_winner))
    results.sort(key=lambda item: not item.shown and needed is None)
    if not results and not lacking:
        results = [Finding("Nothing to compare", f"{_nothing(benchmark)}.", False)]
    texts = [own.text for own in advice(benchmark)]
    return (*lacking, *results, *([Finding(_ADVICE, " ".join(texts), False)] if texts else ()))


def headline(benchmark: Benchmark) -> str:
    """Say who is best in what, by how much and at what price, or how many samples would show it.

    First what could not be judged; of one system alone, its means.
    """
    board = rank_systems(benchmark)
    if len(board.rows) < 2:
        summary = _means(board)
    else:
        leads = [
            sentence.removesuffix(".")
            for measure in board.measures
            for sentence in _wins(benchmark, measure, _primary(benchmark, measure), best=True)
        ]
        ties = list(_open(benchmark, board))
        if ties and not leads:
            ties[0] = ties[0][0].upper() + ties[0][1:]
        summary = "; ".join([*leads, *ties, *_cheapest(board)])
    if not board.measures:
        summary = "No primary measure has a score, so nothing is compared"
    silent = [
        f"{row.system} answered none of {row.of:,} samples." for row in board.rows if not row.count
    ]
    return " ".join(filter(None, [board.unjudged, *silent, f"{summary}." if summary else ""]))


def _means(board: Leaderboard) -> str:
    row = board.rows[0]
    means = [
        f"{in_sentence(measure)} {show(standing.mean)}"
        for measure, standing in zip(board.measures, row.standings, strict=True)
        if standing is not None
    ]
    price = f", at {show(row.cost.value)} per question" if row.cost and raw(row.cost) else ""
    return f"{row.system}: {', '.join(means)}{price}" if means else ""


def _open(benchmark: Benchmark, board: Leaderboard) -> Iterator[str]:
    """Yield the measures in which no system is best, with the samples that would show a lead."""
    for measure in board.measures:
        pairs, name = _primary(benchmark, measure), in_sentence(measure)
        if not pairs or any(pair.winner for pair in pairs):
            continue
        largest = max(pairs, key=lambda pair: abs(pair.paired.difference))
        if not any(pair.paired.wins or pair.paired.losses for pair in pairs):
            yield f"all have the same {name}"
        elif (largest.doubt or "") in (MEASURED_DIFFERENTLY, OTHER_QUESTIONS):
            yield f"{name} is not compared ({largest.doubt})"
        else:
            needed = largest.needed or 0
            more = f"; it would take about {needed:,} samples" if needed > largest.paired.n else ""
            yield f"no system is shown to be best in {name} (largest lead: {_gap(largest)}{more})"


def _primary(benchmark: Benchmark, measure: MeasureSpec) -> list[Comparison]:
    return [
        pair
        for pair in compared(benchmark)
        if pair.measure.key == measure.key and pair.role == "primary"
    ]


def _cheapest(board: Leaderboard) -> Iterator[str]:
    for name, phrase in (("cost", "is cheapest"), ("tokens", "takes the fewest tokens")):
        spent = [raw(getattr(row, name)) for row in board.rows]
        least = min((value for value in spent if isinstance(value, float)), default=None)
        if None not in spent and len(set(spent)) > 1:
            row = board.rows[spent.index(least)]
            each = show(row.cost.value) if name == "cost" and row.cost else f"{least:,.0f}"
            yield f"{row.system} {phrase} ({each} per question)"
            return


def _alone(benchmark: Benchmark, system: str, measure: MeasureSpec) -> Iterator[Finding]:
    """Yield how good the only contestant is on a measure, and its weakest samples."""
    mean = benchmark.estimate(system, measure.key)
    if mean is None:
        return
    scores = pd.Series(benchmark.of(system, measure.key), benchmark.sample_ids).dropna()
    text = f"{system} has {show(mean)} on {mean.n} samples"
    if measure.graded and measure.span:
        good = (measure.low or 0) + _GOOD * measure.span
        text += f", {(scores >= good).mean():.0%} at {good:g} or better"
    for run in benchmark.rows:
        if run.solver in _BOUNDS and (bound := benchmark.estimate(run.system, measure.key)):
            text += f", where {_BOUNDS[run.solver]} has {bound.mean:.3g}"
    weakest = scores.sort_values(ascending=bool(measure.higher_is_better), kind="stable")
    listed = ", ".join(f"{name} ({score:.2g})" for name, score in weakest[:_MOST_LISTED].items())
    yield Finding(measure.label, f"{text}; weakest: {listed}.", False)


def _nothing(benchmark: Benchmark) -> str:
    """Say why there is nothing to compare."""
    answers = benchmark.answers
    if not (answers["outcome"] == "answered").any():
        why = answers["outcome"] + answers["error"].map(lambda text: f": {text}" if text else "")
        counts = Counter(why)
        listed = [f"{count} {why}" for why, count in counts.most_common(_MOST_LISTED)]
        return f"No sample was answered ({'; '.join(listed)})"
    if len(benchmark.systems) > 1:
        return "There are no two systems with a primary measure in common"
    return f"{benchmark.systems[0]} has no value of a primary measure"


def _too_few(needed: int, comparisons: Sequence[Comparison], cluster: str) -> Finding:
    own = [pair for pair in comparisons if pair.role == "primary"]
    clusters = max(pair.paired.clusters for pair in own)
    return Finding(
        f"Too few {plural(cluster)}",
        f"With {counted(clusters, cluster)} no difference can be shown: for "
        f"{counted(len(own), 'primary comparison')} the exact permutation test needs at least "
        f"{needed}.",
        False,
    )


def _wins(
    benchmark: Benchmark, measure: MeasureSpec, pairs: Sequence[Comparison], *, best: bool = False
) -> Iterator[str]:
    """Yield a sentence for each system shown to be better than another.

    With `best`, and of many systems, only for those that no other beats.
    """
    verb = _VERBS.get(measure.key, f"is better in {in_sentence(measure)} than")
    won = [
        (pair, pair.winner, pair.b if pair.winner == pair.a else pair.a)
        for pair in pairs
        if pair.winner
    ]
    beaten = {loser for *_, loser in won}
    best |= len(benchmark.systems) > _MOST_LISTED + 1
    for system in benchmark.systems:
        losers = {loser: pair for pair, winner, loser in won if winner == system}
        if not losers or (best and system in beaten):
            continue
        listed = [
            f"{loser} ({_margin(pair, system)}{_price(benchmark, system, loser)})"
            for loser, pair in losers.items()
        ]
        if len(listed) > _MOST_LISTED:
            gaps = [abs(pair.paired.difference) for pair in losers.values()]
            nearest = listed[gaps.index(min(gaps))]
            listed = [f"{len(listed)} others, the nearest {nearest}"]
        yield f"{system} {verb} {' and '.join(listed)}."


def _undecided(measure: MeasureSpec, pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yield sentences on the pairs without a shown difference."""
    left = [pair for pair in pairs if not pair.winner]
    unlike = [pair for pair in left if pair.doubt == MEASURED_DIFFERENTLY]
    other = [pair for pair in left if pair.doubt == OTHER_QUESTIONS]
    left = [pair for pair in left if pair not in (*unlike, *other)]
    alike = [pair for pair in left if not (pair.paired.wins or pair.paired.losses)]
    few = clusters_short_of(pairs) is not None
    left = (
        []
        if few
        else [
            pair
            for pair in left
            if pair not in alike and not (pair.doubt or "").startswith(TOO_FEW)
        ]
    )
    if unlike:
        yield f"{_pairs(unlike, '; ')} were measured differently and are not compared."
    if other:
        yield f"{_pairs(other, '; ')} have other questions under the same ids, not compared."
    if alike:
        systems = {system for pair in pairs for system in (pair.a, pair.b)}
        every = len(alike) == len(pairs) == math.comb(len(systems), 2)
        which = "All systems" if every else _pairs(alike, ", as do ")
        yield f"{which} have the same {in_sentence(measure)} on every sample."
    if left:
        bounds = [pair.detectable for pair in left if pair.detectable is not None]
        power = f"; with this many samples it takes about {max(bounds):.2g}" if bounds else ""
        largest = max(left, key=lambda pair: abs(pair.paired.difference))
        more = "other " if any(pair.winner for pair in pairs) else ""
        yield (
            f"No {more}difference in {in_sentence(measure)} is shown. The largest: "
            f"{_gap(largest)}{power}."
        )


def _left_out(pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yield how many samples do not count since they cannot be compared."""
    most = max((pair.left_out for pair in pairs), default=0)
    if most:
        up_to = "up to " if len({pair.left_out for pair in pairs}) > 1 else ""
        yield f"Samples left out as measured differently or with another question: {up_to}{most}."


def _pairs(pairs: Sequence[Comparison], link: str = ", or ") -> str:
    if len(pairs) > _MOST_LISTED:
        return f"{len(pairs)} pairs of systems"
    return link.join(f"{pair.a} and {pair.b}" for pair in pairs)


def _gap(pair: Comparison) -> str:
    """Return who is ahead of whom, and by how much."""
    paired = pair.paired
    ahead = (paired.difference >= 0) == (pair.measure.higher_is_better is not False)
    first, second = (pair.a, pair.b) if ahead else (pair.b, pair.a)
    note = ""
    if paired.low is not None and paired.high is not None and not paired.low <= 0 <= paired.high:
        note = " before the correction for several comparisons"
    return f"{first} over {second}, {_margin(pair, first)}{note}"


def _margin(pair: Comparison, first: str) -> str:
    """Return by how much a system of the pair is ahead, with the interval."""
    paired, sign = pair.paired, 1 if first == pair.a else -1
    ends = [None if end is None else sign * end for end in (paired.low, paired.high)]
    low, high = ends if sign > 0 else ends[::-1]
    return show(Signed(sign * paired.difference, low, high))


def _price(benchmark: Benchmark, winner: str, loser: str) -> str:
    """Return the winner's cost as a multiple of the loser's; of tokens without prices."""
    for name, column in (("cost", "cost_usd"), ("tokens", "tokens")):
        means = benchmark.finished.groupby("system")[column].mean()
        own, other = means.get(winner), means.get(loser)
        if own and other and own == own and other == other:
            ratio = own / other
            return f", at {ratio:{'.1f' if ratio >= 0.1 else '.1g'}} times the {name}"
    return ""
