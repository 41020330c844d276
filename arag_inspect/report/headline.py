"""The headline of a report: in one line who wins, and by how much, or that there is no winner."""

from collections.abc import Sequence

from ..measure import MeasureSpec
from .analyses.leaderboard import Leaderboard, rank_systems
from .comparisons import (
    INCOMPARABLE,
    Comparison,
    clusters_short_of,
    contestants,
    family_of,
    on_samples,
    primary_pairs,
)
from .labels import counted, in_sentence, listed, verb_of
from .study import Study
from .table import show

_MOST_NAMED = 3
"""Most systems that are named; more form groups."""

_COARSE = 0.1
"""Difference from which two decimals are enough."""


def headline(study: Study) -> str:
    """Say in one line which system wins the first measure that has a winner, or that none does.

    Of one system alone, its means.
    """
    board = rank_systems(study)
    silent = [row.system for row in board.rows if not row.count]
    if silent:
        answers = counted(len(study.sample_ids), "sample")
        return f"{listed(silent)} answered none of {answers}."
    if not board.measures:
        return "No primary measure has a score, so nothing is compared."
    if len(contestants(study)) < 2:
        return _means(board)
    primary = primary_pairs(study)
    if (needed := clusters_short_of(primary)) is not None:
        clusters = max(pair.paired.clusters for pair in primary)
        few = counted(clusters, study.cluster)
        return f"No winner: {few} can show no difference, {needed} or more could."
    decided = [measure for measure in board.measures if _won(primary, measure)]
    comparable = [pair for pair in primary if pair.doubt not in INCOMPARABLE]
    open_keys = {pair.measure.key for pair in comparable} - {measure.key for measure in decided}
    names = [in_sentence(measure) for measure in board.measures if measure.key in open_keys]
    if decided and len(contestants(study)) > _MOST_NAMED + 1:
        return _groups(study, decided[0], _won(primary, decided[0]))
    if decided:
        tied = f"; tied in {listed(names)}" if names else ""
        return f"{_victory(study, decided[0], _won(primary, decided[0]))}{tied}."
    if names:
        return f"No winner: tied in {listed(names)} ({counted(len(study.sample_ids), 'sample')})."
    return "No winner: no two systems can be compared."


def _won(pairs: Sequence[Comparison], measure: MeasureSpec) -> list[Comparison]:
    return [pair for pair in pairs if pair.measure.key == measure.key and pair.winner]


def _means(board: Leaderboard) -> str:
    """State the means of the only contestant."""
    row = board.rows[0]
    means = [
        f"{in_sentence(measure)} {show(standing.mean)}"
        for measure, standing in zip(board.measures, row.standings, strict=True)
        if standing is not None
    ]
    return f"{row.system}: {', '.join(means) or 'no value'}."


def _victory(study: Study, measure: MeasureSpec, won: Sequence[Comparison]) -> str:
    """Say whom the best system beats, and by how much."""
    beaten = {pair.loser for pair in won}
    widest = max(won, key=lambda pair: (pair.winner not in beaten, abs(pair.paired.difference)))
    winner = widest.winner or ""
    of_winner = [pair for pair in won if pair.winner == winner]
    if len(of_winner) > 1:
        losers = [f"{pair.loser} ({_gap(study, pair)})" for pair in of_winner]
        return f"{winner} {verb_of(measure)} than {listed(losers)}"
    loser = widest.loser or ""
    means = [study.estimate(system, measure.key) for system in (winner, loser)]
    first, second = (f"{mean.mean:.2g}" if mean else "-" for mean in means)
    of = f" of {measure.high:g}" if measure.graded and measure.high else ""
    others = [
        name
        for name in contestants(study)
        if name not in (winner, *beaten) and study.estimate(name, measure.key)
    ]
    tied = f"; {listed(others)} {'are' if others[1:] else 'is'} tied with it" if others else ""
    gap = _gap(study, widest)
    return f"{winner} {verb_of(measure)} than {loser}: {first} against {second}{of} ({gap}){tied}"


def _gap(study: Study, pair: Comparison) -> str:
    """Return by how much the winner is ahead, with the samples if these are not all."""
    lead = pair.seen_from(pair.loser or "")[1]
    decimals = 2 if abs(lead.value) >= _COARSE else 3
    ends = [f"{end:.{decimals}f}" for end in lead[1:] if end is not None]
    return f"{lead.value:+.{decimals}f} [{', '.join(ends)}]{on_samples(study, pair)}"


def _groups(study: Study, measure: MeasureSpec, won: Sequence[Comparison]) -> str:
    """Say how many of many systems are unbeaten, and how many are worse than all of these."""
    scored = [name for name in contestants(study) if study.estimate(name, measure.key)]
    beaten = {pair.loser for pair in won}
    unbeaten = [name for name in scored if name not in beaten]
    losses = {(pair.loser, pair.winner) for pair in won}
    worse = [name for name in beaten if all((name, best) in losses for best in unbeaten)]
    named = f" ({listed(unbeaten)})" if len(unbeaten) <= _MOST_NAMED else ""
    verb = "is" if len(unbeaten) == 1 else "are"
    text = f"In {in_sentence(measure)} {len(unbeaten)} of {len(scored)} {verb} unbeaten{named}"
    if family_of(study).partial:
        return f"{text} among the systems of their model."
    them = {1: "it", 2: "both"}.get(len(unbeaten), "all of them")
    count = len(worse) or "none"
    return f"{text}; {count} {'are' if len(worse) > 1 else 'is'} worse than {them}."
