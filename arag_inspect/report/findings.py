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
    companies_needed,
    compared,
)
from .labels import in_sentence, label_of
from .primary import primary_measures, unjudged
from .table import Signed, show

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
    needed = companies_needed(comparisons)
    if needed is not None:
        results.append(_too_few(needed, comparisons))
    for measure in map(benchmark.spec, primary_measures(benchmark)):
        contestants = [run.system for run in benchmark.rows if run.solver not in _BOUNDS]
        if len(contestants) == 1:
            results += _alone(benchmark, contestants[0], measure)
        own = [
            pair
            for pair in comparisons
            if pair.measure.key == measure.key and pair.role == "primary"
        ]
        sentences = [*_wins(benchmark, measure, own), *_undecided(measure, own), *_left_out(own)]
        if sentences:
            has_winner = any(pair.winner for pair in own)
            results.append(Finding(measure.label, " ".join(sentences), has_winner))
    results.sort(key=lambda item: not item.shown and needed is None)
    if not results and not lacking:
        results = [Finding("Nothing to compare", f"{_nothing(benchmark)}.", False)]
    texts = [own.text for own in advice(benchmark)]
    return (*lacking, *results, *([Finding(_ADVICE, " ".join(texts), False)] if texts else ()))


def _alone(benchmark: Benchmark, system: str, measure: MeasureSpec) -> Iterator[Finding]:
    """Yield how good the only contestant is on a measure, and its weakest samples."""
    mean = benchmark.estimate(system, measure.key)
    if mean is None:
        return
    scores = pd.Series(benchmark.of(system, measure.key), benchmark.sample_ids).dropna()
    text = f"{label_of(system)} has {show(mean)} on {mean.n} samples"
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
    return f"{label_of(benchmark.systems[0])} has no value of a primary measure"


def _too_few(needed: int, comparisons: Sequence[Comparison]) -> Finding:
    own = [pair for pair in comparisons if pair.role == "primary"]
    companies = max(pair.paired.clusters for pair in own)
    noun = "company" if companies == 1 else "companies"
    return Finding(
        "Too few companies",
        f"With {companies} {noun} no difference can be shown: for "
        f"{len(own)} primary comparisons the exact permutation test needs at least {needed}.",
        False,
    )


def _wins(benchmark: Benchmark, measure: MeasureSpec, pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yield a sentence for each system shown to be better than another.

    Of many systems, only for those that no other beats.
    """
    verb = _VERBS.get(measure.key, f"is better in {in_sentence(measure)} than")
    won = [
        (pair, pair.winner, pair.b if pair.winner == pair.a else pair.a)
        for pair in pairs
        if pair.winner
    ]
    beaten = {loser for *_, loser in won}
    for system in benchmark.systems:
        losers = {loser: pair for pair, winner, loser in won if winner == system}
        if not losers or (len(benchmark.systems) > _MOST_LISTED + 1 and system in beaten):
            continue
        listed = [
            f"{label_of(loser)} ({_margin(pair, system)}{_price(benchmark, system, loser)})"
            for loser, pair in losers.items()
        ]
        if len(listed) > _MOST_LISTED:
            gaps = [abs(pair.paired.difference) for pair in losers.values()]
            nearest = listed[gaps.index(min(gaps))]
            listed = [f"{len(listed)} others, the nearest {nearest}"]
        yield f"{label_of(system)} {verb} {' and '.join(listed)}."


def _undecided(measure: MeasureSpec, pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yield sentences on the pairs without a shown difference."""
    left = [pair for pair in pairs if not pair.winner]
    unlike = [pair for pair in left if pair.doubt == MEASURED_DIFFERENTLY]
    other = [pair for pair in left if pair.doubt == OTHER_QUESTIONS]
    left = [pair for pair in left if pair not in (*unlike, *other)]
    alike = [pair for pair in left if not (pair.paired.wins or pair.paired.losses)]
    few = companies_needed(pairs) is not None
    left = [] if few else [pair for pair in left if pair not in alike and pair.doubt != TOO_FEW]
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
        gap = f"{_gap(largest)}{power}"
        more = "other " if any(pair.winner for pair in pairs) else ""
        yield f"No {more}difference in {in_sentence(measure)} is shown. The largest, {gap}."


def _left_out(pairs: Sequence[Comparison]) -> Iterator[str]:
    """Yield how many samples do not count since they cannot be compared."""
    most = max((pair.left_out for pair in pairs), default=0)
    if most:
        up_to = "up to " if len({pair.left_out for pair in pairs}) > 1 else ""
        yield f"Samples left out as measured differently or with another question: {up_to}{most}."


def _pairs(pairs: Sequence[Comparison], link: str = ", or ") -> str:
    if len(pairs) > _MOST_LISTED:
        return f"{len(pairs)} pairs of systems"
    return link.join(f"{label_of(pair.a)} and {label_of(pair.b)}" for pair in pairs)


def _gap(pair: Comparison) -> str:
    """Return who is ahead of whom, and by how much."""
    paired = pair.paired
    ahead = (paired.difference >= 0) == (pair.measure.higher_is_better is not False)
    first, second = (pair.a, pair.b) if ahead else (pair.b, pair.a)
    note = ""
    if paired.low is not None and paired.high is not None and not paired.low <= 0 <= paired.high:
        note = " before the correction for several comparisons"
    return f"{label_of(first)} ahead of {label_of(second)}, is {_margin(pair, first)}{note}"


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
