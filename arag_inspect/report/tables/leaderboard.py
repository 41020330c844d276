"""The leaderboard: one row per system, with its primary measures, cost and speed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...stats.estimates import Estimate
from ...types.measures import MeasureSpec
from ..benchmark import Benchmark, once
from ..comparisons import compared, family_of
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
        """The rank in words: `tied` (all of them), `best`, `unbeaten` (of several), or `rank 2`."""
        if self.first == self.of:
            return "tied" if self.of > 1 else ""
        if self.rank == 1:
            return "best" if not self.tied else "unbeaten"
        return f"rank {self.number}"

    @property
    def number(self) -> str:
        """The rank, marked where another system has the same."""
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
    count: int
    """Samples with an answer."""

    skipped: int
    of: int
    """Samples."""

    @property
    def answered(self) -> Share:
        """Share of the samples with an answer."""
        return Share(self.count / self.of if self.of else 0.0)


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
    measures = tuple(map(benchmark.spec, primary_measures(benchmark)))
    standings = [_standings(benchmark, measure) for measure in measures]
    finished, rows = dict(benchmark.by_system(benchmark.finished)), []
    for system, answers in benchmark.by_system(benchmark.answers):
        outcomes, effort = answers["outcome"].value_counts(), finished[system]
        rows.append(
            LeaderboardRow(
                system,
                tuple(own.get(system) for own in standings),
                cost=mean_over(effort["cost_usd"], Usd),
                latency=percentile(effort["latency_ms"], 0.5),
                tokens=mean_over(effort["tokens"]),
                count=int(outcomes.get("answered", 0)),
                skipped=int(outcomes.get("skipped", 0)),
                of=len(answers),
            )
        )
    rows.sort(key=lambda row: list(map(_order, row.standings, measures)))
    lacking = " ".join(f"{failure}." for failure in unjudged(benchmark))
    return Leaderboard(measures, tuple(rows), lacking, family_of(benchmark).partial)


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
        pairs = [(own.mean, own.number) if own else (None, None) for own in row.standings]
        ranked = (cell for pair in pairs for cell in pair)
        yield row.system, *ranked, row.cost, row.latency, row.tokens, row.answered


def _standings(benchmark: Benchmark, measure: MeasureSpec) -> dict[str, Standing]:
    """Return the standing of every system that has a value."""
    pairs = [pair for pair in compared(benchmark) if pair.measure.key == measure.key]
    beaten = Counter(pair.loser for pair in pairs if pair.loser)
    estimates = {system: benchmark.estimate(system, measure.key) for system in benchmark.systems}
    standings = {}
    for system, mean in estimates.items():
        if mean is not None:
            rivals = {system}.union(*({own.a, own.b} for own in pairs if system in (own.a, own.b)))
            ranks = Counter(1 + beaten[rival] for rival in rivals)
            rank = 1 + beaten[system]
            standings[system] = Standing(mean, rank, ranks[rank] > 1, len(rivals), ranks[1])
    return standings


def _order(own: Standing | None, measure: MeasureSpec) -> tuple[bool, float]:
    """Sort key: the value, best first, equal where values tie; a system without one is last."""
    sign = {True: -1, False: 1, None: 0}[measure.higher_is_better]
    return own is None, 0.0 if own is None else sign * round(own.mean.mean / measure.tie)
