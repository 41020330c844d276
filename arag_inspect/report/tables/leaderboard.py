"""The leaderboard: one row per system, with its primary measures, cost and speed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from ...stats.estimates import Estimate
from ...types.measures import MeasureSpec
from ..benchmark import Benchmark, once
from ..comparisons import Comparison, compared, family_of
from ..primary import primary_measures, unjudged
from ..table import Cell, Over, Share, Usd, Words, mean_over, tabled
from .cost import percentile

ORDER = (
    "Ordered by the value of the first measure, best first, then by the next; a system without a "
    "value comes last."
)


@dataclass(frozen=True)
class Standing:
    """A system on one primary measure."""

    mean: Estimate
    rank: int
    """1 + the number of systems that are shown to be better."""

    tied: bool
    """Whether another system has the same rank."""

    of: int
    """Systems that are compared on the measure with this one, and itself."""

    first: int
    """Those of them that share the first rank."""

    @property
    def place(self) -> str:
        """The rank in a word: `best`, `tied` or a number."""
        if self.first == self.of:
            return "tied" if self.of > 1 else ""
        if self.rank == 1:
            return "best" if not self.tied else "best, tied"
        return f"{self.rank}{' =' if self.tied else ''}"


@dataclass(frozen=True)
class LeaderboardRow:
    """A system on the leaderboard."""

    system: str
    standings: tuple[Standing | None, ...]
    """By primary measure; None if the system has no value, e.g. recall without retrieval."""

    cost: Over | None
    latency: Over | None
    """Median working time."""

    tokens: Over | None
    answered: Share
    count: int
    """Samples with an answer."""

    skipped: int
    of: int
    """Samples."""


@dataclass(frozen=True)
class Leaderboard:
    """All systems, best first."""

    measures: tuple[MeasureSpec, ...]
    rows: tuple[LeaderboardRow, ...]
    unjudged: str
    """What could not be judged, in sentences; empty if everything was."""

    by_model: bool = False
    """Whether ranks are those among the systems of one model."""


@once
def rank_systems(benchmark: Benchmark) -> Leaderboard:
    """Rank the systems on every primary measure; without a shown difference they tie.

    They are ordered by the value of the first primary measure, then of the next.
    """
    primary = primary_measures(benchmark)
    standings = [
        _standings(benchmark, name, [c for c in compared(benchmark) if c.measure.key == name])
        for name in primary
    ]
    finished = dict(benchmark.by_system(benchmark.finished))
    rows = [
        _row(system, answers, finished[system], tuple(own.get(system) for own in standings))
        for system, answers in benchmark.by_system(benchmark.answers)
    ]
    measures = tuple(benchmark.spec(name) for name in primary)
    ordered = sorted(rows, key=lambda row: _order(row, measures))
    lacking = " ".join(f"{failure}." for failure in unjudged(benchmark))
    return Leaderboard(measures, tuple(ordered), lacking, family_of(benchmark).partial)


def _words(benchmark: Benchmark) -> Words:
    board = rank_systems(benchmark)
    labels = [measure.label for measure in board.measures]
    return {
        "unjudged": f"{board.unjudged} ".lstrip(),
        "order": ORDER,
        "apart": ", each model for itself" if board.by_model else "",
        "measures": [name for label in labels for name in (label, f"rank, {label}")],
    }


@tabled("leaderboard", _words)
def leaderboard(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the leaderboard as a table."""
    for row in rank_systems(benchmark).rows:
        cells = (cell for standing in row.standings for cell in _cells(standing))
        yield row.system, *cells, row.cost, row.latency, row.tokens, row.answered


def _cells(standing: Standing | None) -> tuple[Cell, Cell]:
    if standing is None:
        return None, None
    return standing.mean, f"{standing.rank}{' =' if standing.tied else ''}"


def _standings(
    benchmark: Benchmark, name: str, comparisons: Sequence[Comparison]
) -> dict[str, Standing]:
    means = {system: benchmark.estimate(system, name) for system in benchmark.systems}
    ranks = {
        system: 1
        + sum(
            pair.winner is not None and system in (pair.a, pair.b) and pair.winner != system
            for pair in comparisons
        )
        for system, mean in means.items()
        if mean is not None
    }
    standings = {}
    pairs = [{pair.a, pair.b} for pair in comparisons]
    for system, mean in means.items():
        if mean is not None:
            rivals = {system}.union(*(pair for pair in pairs if system in pair))
            counts = Counter(ranks[rival] for rival in rivals)
            tied = counts[ranks[system]] > 1
            standings[system] = Standing(mean, ranks[system], tied, len(rivals), counts[1])
    return standings


def _row(
    system: str,
    answers: pd.DataFrame,
    finished: pd.DataFrame,
    standings: tuple[Standing | None, ...],
) -> LeaderboardRow:
    answered = int((answers["outcome"] == "answered").sum())
    return LeaderboardRow(
        system,
        standings,
        cost=mean_over(finished["cost_usd"], Usd),
        latency=percentile(finished["latency_ms"], 0.5),
        tokens=mean_over(finished["tokens"]),
        answered=Share(answered / len(answers) if len(answers) else 0.0),
        count=answered,
        skipped=int((answers["outcome"] == "skipped").sum()),
        of=len(answers),
    )


def _order(row: LeaderboardRow, measures: Sequence[MeasureSpec]) -> tuple[tuple[bool, float], ...]:
    """Sort key: the values, best first, equal where they tie; systems without one last."""
    return tuple(
        (own is None, 0.0 if own is None else _sign(measure) * round(own.mean.mean / measure.tie))
        for own, measure in zip(row.standings, measures, strict=True)
    )


def _sign(measure: MeasureSpec) -> int:
    return {True: -1, False: 1, None: 0}[measure.higher_is_better]
