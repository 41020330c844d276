"""The leaderboard: one row per system, with primary measures, cost and speed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from ..._util.wording import join_names
from ...measure import MeasureSpec
from ...stats.estimates import Estimate
from ...stats.power import ALPHA
from ..analysis import Words, analysis
from ..cells import Cell, Over, Share, Signed, Usd, mean_over
from ..comparison.basis import part_of, partial_bases
from ..comparison.comparisons import Comparison, all_comparisons
from ..comparison.contestants import contestants, family_of
from ..comparison.correctness import declined_shares, rightly_declined_shares
from ..comparison.leads import ordered_systems
from ..comparison.means import good_shares, mean_of_measure
from ..comparison.primary import primary_measures
from ..comparison.regressions import effort_change
from ..comparison.unjudged import not_judged
from ..study import Study, cached_per_study
from .cost import AT_ONCE, cost_by_coverage, percentile, timed_at_once

ORDER = (
    "Sorted by the measure on which a winner is named (without a winner: the first primary "
    "measure), best first. The other primary measures, then cost, break ties. Systems without a "
    "value come last."
)


DECLINED = (
    "share of answerable questions that the system declined instead of answering correctly, "
    "according to the judge (without a judge: the first sentence of the answer)."
)

RIGHTLY_DECLINED = (
    "share of unanswerable questions that the system declined, according to the judge (without a "
    "judge: the first sentence of the answer)."
)

_PARTIAL = "If a measure has no value on some samples, n is the number with a value. "

BEST = "best"
"""Label of a system that is shown to be better than each other one."""

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

    of: int
    """Number of systems compared on the measure, this one included."""

    first: int
    """Number of these that share the first rank."""

    scored: int
    """Number of systems with a value of the measure, compared or not."""

    @property
    def word(self) -> str:
        """The rank in words, e.g. `best` or `rank 2`.

        The first rank is `unbeaten` if several systems share it, `not separated` if all do. A
        system that is compared with no other is `not compared`.
        """
        if self.of == 1:
            return NOT_COMPARED
        if self.first == self.of:
            return NOT_SEPARATED
        if self.rank == 1:
            return UNBEATEN if self.shared else BEST
        return f"rank {self._rank}"

    @property
    def compared(self) -> str:
        """How many of the systems are compared, e.g. `2 of 6`; empty for all, and for none."""
        return "" if self.of in (1, self.scored) else f"{self.of} of {self.scored}"

    @property
    def place(self) -> str:
        """The rank in words; if only some systems are compared, their number follows."""
        return f"{self.word}{self._among}"

    @property
    def number(self) -> str:
        """The rank, marked if another system shares it; `not compared` without a rank."""
        return NOT_COMPARED if self.of == 1 else f"{self._rank}{self._among}"

    @property
    def _rank(self) -> str:
        return f"{self.rank}, shared" if self.shared else f"{self.rank}"

    @property
    def _among(self) -> str:
        return f" ({self.compared} compared)" if self.compared else ""


@dataclass(frozen=True)
class LeaderboardRow:
    """A system on the leaderboard."""

    system: str
    standings: tuple[Standing | None, ...]
    """By primary measure; None if the system has no value, e.g. recall without retrieval."""

    cost: Over | None
    latency: Over | None
    """Median working time."""

    p90: Over | None
    """90th percentile of the working time."""

    time_change: Signed | None
    """Mean change of the time per question from the earlier run; None for other systems."""

    by_coverage: Cell
    """Dollars per point of coverage."""

    good: Share | None
    """Share of answers with a good grade on the first graded measure."""

    tokens: Over | None
    declined: Share | None
    """Share of answers to answerable questions that decline; None if no system declines any."""

    rightly_declined: Over | None
    """Share of answers to unanswerable questions that decline."""

    count: int
    """Samples with an answer."""

    skipped: int
    of: int
    """Samples, each epoch counted."""

    epochs: float
    """Mean number of epochs per sample."""

    is_bound: bool = False
    """Whether it is a reference line, such as the closed book, rather than a contestant."""

    ran_at_once: bool = False
    """Whether another system ran at the same time, so that each may have waited for the other."""

    samples_at_once: bool = False
    """Whether several of its samples ran at the same time, which may have lengthened its times."""

    @property
    def answered(self) -> Share:
        """Share of the samples with an answer."""
        return Share(self.count / self.of if self.of else 0.0)


REFERENCE = "reference"
"""Label of a system that is a reference line."""

_PLACES = {
    UNBEATEN: "none shown to be better",
    NOT_SEPARATED: "no difference shown",
    NOT_COMPARED: "with no other",
    REFERENCE: "does not compete",
}
"""Explanations of the places on a leaderboard."""


def place_of(row: LeaderboardRow, standing: Standing) -> str:
    """Return the place of a system on a leaderboard, with the number compared if not all are."""
    if row.is_bound:
        return REFERENCE
    return f"{standing.word} ({standing.compared})" if standing.compared else standing.word


def places(board: "Leaderboard") -> list[str]:
    """Explain the places that occur on a board, e.g. `not separated: no difference shown`."""
    on_board = set()
    for row in board.rows:
        for standing in filter(None, row.standings):
            on_board.add((REFERENCE, "") if row.is_bound else (standing.word, standing.compared))
    words = {word for word, _ in on_board}
    explanations = [f"{word}: {meaning}" for word, meaning in _PLACES.items() if word in words]
    extents = [compared for _, compared in sorted(on_board) if compared]
    if extents:
        explanations.append(f"({extents[0]}): ranked among these only")
    return explanations


def rule_of(comparisons: Sequence[Comparison]) -> str:
    """State when a difference is bold and a place is given."""
    count = sum(pair.role == "primary" for pair in comparisons)
    correction = (
        f", corrected for {count} comparisons; intervals are not corrected" if count > 1 else ""
    )
    return f"bold Δ and ranks: p < {ALPHA}{correction}"


@dataclass(frozen=True)
class Leaderboard:
    """All systems, best first."""

    measures: tuple[MeasureSpec, ...]
    rows: tuple[LeaderboardRow, ...]
    graded: MeasureSpec | None
    """Measure whose share of good grades is given."""


@cached_per_study
def rank_systems(study: Study) -> Leaderboard:
    """Rank the systems on every primary measure; without a shown difference they share a rank.

    Rows are ordered by the winner's measure or, without one, the first primary measure, and then
    by the other measures, by cost and by tokens; reference lines come last.
    """
    measures = tuple(map(study.catalogue.spec, primary_measures(study)))
    graded = _graded_measure(study, measures)
    standings = [_standings(study, measure) for measure in measures]
    finished = dict(study.by_system(study.finished))
    declined = declined_shares(study)
    concurrent = _concurrent_systems(study.runs)
    rightly_declined = rightly_declined_shares(study)
    rows = []
    for system, answers in study.by_system(study.answers):
        outcomes = answers["outcome"].value_counts()
        effort = finished[system]
        rows.append(
            LeaderboardRow(
                system,
                tuple(by_system.get(system) for by_system in standings),
                cost=mean_over(effort["cost_usd"], Usd),
                latency=percentile(effort["latency_ms"], 0.5),
                p90=percentile(effort["latency_ms"], 0.9),
                time_change=_time_change(study, system),
                by_coverage=cost_by_coverage(study)[system],
                good=_share_of_good(study, system, graded),
                tokens=mean_over(effort["tokens"]),
                declined=Share(declined[system]) if system in declined else None,
                rightly_declined=rightly_declined[system],
                count=int(outcomes.get("answered", 0)),
                skipped=int(outcomes.get("skipped", 0)),
                of=len(answers),
                epochs=len(answers) / max(1, answers["id"].nunique()),
                is_bound=system not in contestants(study),
                ran_at_once=system in concurrent,
                samples_at_once=system in timed_at_once(study),
            )
        )
    order = ordered_systems(study)
    rows.sort(key=lambda row: order.index(row.system))
    return Leaderboard(measures, tuple(rows), graded)


def _time_change(study: Study, system: str) -> Signed | None:
    """Return the mean change of the time per question of the newer of two runs."""
    if not study.choices.is_change or system != study.systems[0]:
        return None
    paired = effort_change(study, "latency_ms")
    return Signed.of(paired) if paired is not None else None


def _concurrent_systems(runs: pd.DataFrame) -> set[str]:
    """Return the systems that ran while another one did, as far as their times are known."""
    starts, ends = (
        pd.to_datetime(runs[column], format="ISO8601", errors="coerce", utc=True)
        for column in ("started", "ended")
    )
    concurrent: set[str] = set()
    for first, second in combinations(runs["system"], 2):
        if starts[first] < ends[second] and starts[second] < ends[first]:
            concurrent |= {first, second}
    return concurrent


def _graded_measure(study: Study, measures: Sequence[MeasureSpec]) -> MeasureSpec | None:
    """Return the measure whose good grades are counted: coverage, else the first graded one."""
    graded = [measure for measure in measures if measure.good_grade is not None]
    coverage = [measure for measure in graded if measure.key == study.catalogue.key_of("coverage")]
    return next(iter((*coverage, *graded)), None)


def _share_of_good(study: Study, system: str, measure: MeasureSpec | None) -> Share | None:
    if measure is None:
        return None
    shares = good_shares(study, system, measure)
    return Share(float(shares.mean())) if len(shares) else None


def _words(study: Study) -> Words:
    board = rank_systems(study)
    columns: list[str] = []
    for measure in board.measures:
        columns += [measure.label, f"rank, {measure.label}"]
        if _is_partial(study, measure):
            columns.append(f"n, {measure.label}")
    is_partial = any(_is_partial(study, measure) for measure in board.measures)
    return {
        "unjudged": "".join(f"{text}. " for text in not_judged(study)),
        "partial": _PARTIAL if is_partial else "",
        "effort": _describe_effort(board),
        "declined": _describe_declined(study),
        "order": ORDER,
        "apart": ", separately for each model" if family_of(study).partial else "",
        "measures": columns,
    }


def _describe_effort(board: Leaderboard) -> str:
    """Return a sentence on the columns of cost, latency and tokens that have any value."""
    columns = {
        "cost": [row.cost for row in board.rows],
        "latency (median working time)": [row.latency for row in board.rows],
        "tokens": [row.tokens for row in board.rows],
    }
    present = [name for name, cells in columns.items() if any(cells)]
    if not present:
        return ""
    text = f"Per question, over the n answers with a value: {join_names(present)}. "
    concurrent = [row.system for row in board.rows if row.ran_at_once and row.latency]
    if concurrent:
        text += (
            f"{join_names(concurrent)} ran at the same time and may have waited for each other. "
        )
    at_once = [row.system for row in board.rows if row.samples_at_once and row.latency]
    if at_once:
        text += f"Latency may be too long where {AT_ONCE}: {join_names(at_once)}. "
    return text


def _describe_declined(study: Study) -> str:
    """Return what the columns of declined questions mean that have any value."""
    text = f" Declined: {DECLINED}" if declined_shares(study) else ""
    if any(rightly_declined_shares(study).values()):
        text += f" Rightly declined: {RIGHTLY_DECLINED}"
    return text


def _is_partial(study: Study, measure: MeasureSpec) -> bool:
    """Return whether a primary measure lacks values on some samples of a system."""
    return any(key == measure.key for key, _ in partial_bases(study))


@analysis(
    "Leaderboard",
    columns="system | $measures | cost per question (USD) | p50 ms | tokens | answered | "
    "declined | rightly declined",
    text="""
    {unjudged}Primary measures with their 95 % intervals. {order} Systems between which no
    difference is shown share a rank{apart}; a system without a comparison has none.
    {partial}{effort}Answered: share of samples with an answer.{declined}
    """,
    words=_words,
    section="overview",
    order=10,
)
def leaderboard(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield a row for each system, best first."""
    board = rank_systems(study)
    for row in board.rows:
        ranked: list[Cell] = []
        for measure, standing in zip(board.measures, row.standings, strict=True):
            ranked += (standing.mean, standing.number) if standing else (None, None)
            if _is_partial(study, measure):
                ranked.append(part_of(standing.mean.n, study) if standing else None)
        effort = row.cost, row.latency, row.tokens
        yield row.system, *ranked, *effort, row.answered, row.declined, row.rightly_declined


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
            mean, rank, ranks[rank] > 1, of=len(rivals), first=ranks[1], scored=scored
        )
    return standings
