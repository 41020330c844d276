"""Ranks of the systems on the primary measures, with their cost."""

from collections import Counter
from dataclasses import dataclass

from ...measure import MeasureSpec
from ...stats.estimates import Estimate
from ..cells import Over, Share, Usd, mean_over
from ..study import Study, cached_per_study
from .comparisons import all_comparisons
from .contestants import contestants
from .leads import ordered_systems
from .means import mean_of_measure
from .primary import primary_measures

BEST = "best"
"""Label of a system that is shown to be better than every other."""

UNBEATEN = "unbeaten"
"""Label of systems that share the first rank."""

NOT_COMPARED = "not compared"
"""Label of a system that is not compared with any other."""

NOT_SEPARATED = "not separated"
"""Label of systems between which no difference is shown, and which need not be equal."""


@dataclass(frozen=True)
class Standing:
    """Rank of a system on one primary measure."""

    mean: Estimate
    rank: int
    """One plus the number of systems that are shown to be better."""

    shared: bool
    """Whether another system has the same rank."""

    compared: int
    """Number of systems compared on the measure, this one included."""

    sharing_first: int
    """Number of these that share the first rank."""

    scored: int
    """Number of systems with a value of the measure, compared or not."""

    @property
    def word(self) -> str:
        """The rank in words, e.g. `best` or `rank 2`.

        The first rank is `unbeaten` if several systems share it, `not separated` if all do. A
        system that is compared with no other is `not compared`.
        """
        if self.compared == 1:
            return NOT_COMPARED
        if self.sharing_first == self.compared:
            return NOT_SEPARATED
        if self.rank == 1:
            return UNBEATEN if self.shared else BEST
        return f"rank {self._rank}"

    @property
    def extent(self) -> str:
        """How many of the systems are compared, e.g. `2 of 6`; empty for all, and for none."""
        is_stated = self.compared not in (1, self.scored)
        return f"{self.compared} of {self.scored}" if is_stated else ""

    @property
    def place(self) -> str:
        """The rank in words; if only some systems are compared, their number follows."""
        return f"{self.word} ({self.extent} compared)" if self.extent else self.word

    @property
    def number(self) -> str:
        """The rank, marked if another system shares it; in words if only some are compared."""
        return self.place if self.compared == 1 or self.extent else self._rank

    @property
    def _rank(self) -> str:
        return f"{self.rank}, shared" if self.shared else f"{self.rank}"


@dataclass(frozen=True)
class LeaderboardRow:
    """A system on the leaderboard."""

    system: str
    standings: tuple[Standing | None, ...]
    """By primary measure; None if the system has no value, e.g. recall without retrieval."""

    cost: Over | None
    tokens: Over | None
    count: int
    """Samples with an answer."""

    skipped: int
    samples: int
    """Number of samples, each epoch counted."""

    epochs: float
    """Mean number of epochs per sample."""

    is_bound: bool = False
    """Whether it is a reference line, such as the closed book, rather than a contestant."""

    @property
    def answered(self) -> Share:
        """Share of the samples with an answer."""
        return Share(self.count / self.samples if self.samples else 0.0)


@dataclass(frozen=True)
class Leaderboard:
    """All systems, best first."""

    measures: tuple[MeasureSpec, ...]
    rows: tuple[LeaderboardRow, ...]


@cached_per_study
def rank_systems(study: Study) -> Leaderboard:
    """Rank the systems on every primary measure; without a shown difference they share a rank.

    Rows are ordered by the winner's measure or, without one, the first primary measure, and then
    by the other measures, by cost and by tokens; reference lines come last.
    """
    measures = tuple(map(study.catalogue.spec, primary_measures(study)))
    standings = [_standings(study, measure) for measure in measures]
    answers_by_system = dict(study.by_system(study.answers))
    finished_by_system = dict(study.by_system(study.finished))
    rows = []
    for system in ordered_systems(study):
        answers = answers_by_system[system]
        outcomes = answers["outcome"].value_counts()
        effort = finished_by_system[system]
        rows.append(
            LeaderboardRow(
                system,
                tuple(by_system.get(system) for by_system in standings),
                cost=mean_over(effort["cost_usd"], Usd),
                tokens=mean_over(effort["tokens"]),
                count=int(outcomes.get("answered", 0)),
                skipped=int(outcomes.get("skipped", 0)),
                samples=len(answers),
                epochs=len(answers) / max(1, answers["id"].nunique()),
                is_bound=system not in contestants(study),
            )
        )
    return Leaderboard(measures, tuple(rows))


def _standings(study: Study, measure: MeasureSpec) -> dict[str, Standing]:
    """Return the standing of every system that has a value."""
    on_measure = [pair for pair in all_comparisons(study) if pair.measure.key == measure.key]
    pairs = [pair for pair in on_measure if pair.is_comparable]
    losses_by_system = Counter(pair.loser for pair in pairs if pair.loser)
    estimates = {system: mean_of_measure(study, system, measure.key) for system in study.systems}
    scored = sum(estimates[system] is not None for system in contestants(study))
    standings = {}
    for system, mean in estimates.items():
        if mean is None:
            continue
        rivals = {system}
        for pair in pairs:
            if system in (pair.a, pair.b):
                rivals |= {pair.a, pair.b}
        ranks = Counter(1 + losses_by_system[rival] for rival in rivals)
        rank = 1 + losses_by_system[system]
        standings[system] = Standing(
            mean,
            rank,
            shared=ranks[rank] > 1,
            compared=len(rivals),
            sharing_first=ranks[1],
            scored=scored,
        )
    return standings
