"""The leaderboard on the page's first screen."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..._util.wording import milliseconds, plural
from ...measure import MeasureSpec
from ...stats.estimates import Floats
from ...stats.power import ALPHA
from ..build import StudyReport
from ..cells import Cell, Over, Usd, raw, show, show_parts
from ..comparison.basis import is_stated, stated_size
from ..comparison.comparisons import Comparison
from ..comparison.contestants import contestants
from ..comparison.correctness import (
    RIGHTLY_DECLINED,
    declined_by_program,
    declined_shares,
    describe_declined,
    rightly_declined_shares,
)
from ..comparison.effort import (
    IN_PARALLEL,
    TIME,
    concurrent_systems,
    cost_by_coverage,
    time_percentiles,
    timed_at_once,
)
from ..comparison.means import good_shares, mean_of_measure
from ..comparison.ranking import (
    BEST,
    NOT_COMPARED,
    NOT_SEPARATED,
    UNBEATEN,
    Leaderboard,
    LeaderboardRow,
    Standing,
)
from ..comparison.regressions import latency_changes
from ..labels import end_sentence, in_sentence
from ..study import Study

REFERENCE = "reference"
"""Label of a system that is a reference line."""

_PLACES = {
    UNBEATEN: "none shown to be better",
    NOT_SEPARATED: "no difference shown",
    NOT_COMPARED: "with no other",
    REFERENCE: "does not compete",
}
"""Explanations of the places on a leaderboard."""


class Gap(NamedTuple):
    """The difference of a system to another on a measure."""

    baseline: str
    text: str
    verdict: str = ""
    """Which system is better or why none is shown; empty if the two are not compared."""

    is_shown: bool = False
    samples: int | None = None
    """Number of samples behind it, unless a finding states it."""


class ScoredCell(NamedTuple):
    """A system's mean of a measure, its place, and its differences to other systems."""

    mean: str
    interval: str
    place: str
    full_place: str
    is_best: bool
    samples: int | None
    """Number of samples behind the mean, unless a finding states it."""

    gaps: tuple[Gap, ...]


class EffortCell(NamedTuple):
    """A figure of a system and a note below it, both empty if unknown."""

    text: str = ""
    note: str = ""


class Column(NamedTuple):
    """A column of plain figures."""

    name: str
    meaning: str
    cells: list[EffortCell]


def explain_measure(study: Study, measure: MeasureSpec) -> str:
    """Return the definition and the direction of a measure."""
    better = {True: "higher is better", False: "lower is better", None: "no direction"}
    direction = better[measure.higher_is_better]
    if measure.key in study.catalogue.assumed:
        direction += " (assumed)"
    definition = end_sentence(measure.description or measure.label)
    text = f"{definition} Mean with its 95 % interval over "
    return f"{text}{plural(study.cluster)}; {direction}."


def scored_cells(report: StudyReport, row: LeaderboardRow) -> list[ScoredCell | str]:
    """Return the cells of a system on the primary measures."""
    measures = zip(report.leaderboard.measures, row.standings, strict=True)
    return [_cell(report, row, measure, standing) for measure, standing in measures]


def _cell(
    report: StudyReport, row: LeaderboardRow, measure: MeasureSpec, standing: Standing | None
) -> ScoredCell | str:
    """Return the cell of a system on a measure; without a value, the most frequent reason."""
    study = report.study
    if standing is None:
        scores = study.scores_of(measure.key)
        reasons = scores.loc[scores["system"] == row.system, "reason"].value_counts()
        return str(reasons.index[0] if len(reasons) else "not scored").replace("_", " ")
    n = standing.mean.n
    return ScoredCell(
        *show_parts(standing.mean),
        place=place_of(row, standing),
        full_place=standing.place,
        is_best=standing.word == BEST,
        samples=n if n < stated_size(study, measure.key, row.system) else None,
        gaps=tuple(_gaps(report, row.system, measure)),
    )


def _gaps(report: StudyReport, system: str, measure: MeasureSpec) -> Iterator[Gap]:
    """Yield the difference to each other system, or why none counts; then those not compared."""
    study = report.study
    compared = {system}
    for pair in report.comparisons:
        if pair.measure.key == measure.key and system in (pair.a, pair.b):
            baseline = pair.other(system)
            compared.add(baseline)
            n = pair.paired.n
            is_known = is_stated(n, study, measure.key, pair.a, pair.b)
            yield Gap(
                baseline,
                _show_difference(pair, baseline),
                pair.verdict,
                is_shown=bool(pair.winner),
                samples=None if is_known else n,
            )
    if system in contestants(study):
        for other in study.systems:
            if other not in compared and mean_of_measure(study, other, measure.key):
                yield Gap(other, NOT_COMPARED)


def _show_difference(pair: Comparison, baseline: str) -> str:
    if not pair.is_alike:
        return str(pair.doubt)
    difference = pair.seen_from(baseline)
    if pair.is_same_on_all:  # a cell has no room for it
        difference = difference._replace(why="")
    return show(difference)


def effort_columns(study: Study, board: Leaderboard) -> list[Column]:
    """Return grades, refusals, cost, time, tokens and missing answers, if a system has any."""
    return [column for column in _columns(study, board) if any(cell.text for cell in column.cells)]


def _columns(study: Study, board: Leaderboard) -> Iterator[Column]:
    systems = [row.system for row in board.rows]
    graded = _graded_measure(study, board.measures)
    if graded:
        least = f"{graded.good_grade:g}"
        yield Column(
            f"{in_sentence(graded).capitalize()} ≥\N{NO-BREAK SPACE}{least}",
            f"Share of the answers with a grade of at least {least} in {graded.label}.",
            [_share_cell(_share_of_good(study, system, graded)) for system in systems],
        )
    declined = declined_shares(study)
    yield Column(
        "Declined",
        f"The {describe_declined(study)}",
        [_share_cell(declined.get(system)) for system in systems],
    )
    rightly_declined = rightly_declined_shares(study)
    yield Column(
        "Rightly declined",
        f"The {RIGHTLY_DECLINED}",
        [_rightly_declined_cell(study, system, rightly_declined[system]) for system in systems],
    )
    has_coverage = any(measure.aspect == "coverage" for measure in board.measures)
    by_coverage = cost_by_coverage(study) if has_coverage else {}
    yield Column(
        "$ per 1,000 answers",
        "Dollars of the system per 1,000 answers; below, per point of coverage above the lowest, "
        "if coverage is on the board. Judges cost extra.",
        [_cost(row.cost, by_coverage.get(row.system)) for row in board.rows],
    )
    times = time_percentiles(study, 0.9)
    yield Column(
        "Time, p90",
        f"Nine of ten answers finish within this time. {TIME} Below: {IN_PARALLEL} if other "
        "samples or systems ran at the same time, so that times may be too long; if not, for two "
        "runs, the median change per question.",
        [_time(study, system, times[system]) for system in systems],
    )
    yield Column(
        "Tokens per\N{NO-BREAK SPACE}answer",
        "Mean tokens per answer, in and out; below, the answers where other systems have more.",
        list(_tokens_of(board)),
    )
    if any(row.count < row.samples or row.epochs > 1 for row in board.rows):
        yield Column(
            "Answered",
            "Samples with an answer, and neither empty, refused, truncated, skipped nor failed.",
            list(map(_answered_cell, board.rows)),
        )


def _graded_measure(study: Study, measures: Sequence[MeasureSpec]) -> MeasureSpec | None:
    """Return the measure whose good grades are counted: coverage, else the first graded one."""
    graded = [measure for measure in measures if measure.good_grade is not None]
    coverage = [measure for measure in graded if measure.key == study.catalogue.key_of("coverage")]
    return next(iter((*coverage, *graded)), None)


def _share_of_good(study: Study, system: str, measure: MeasureSpec) -> float | None:
    shares = good_shares(study, system, measure)
    return float(shares.mean()) if len(shares) else None


def _amount(cell: Cell) -> float | None:
    amount = raw(cell)
    return None if amount is None else float(amount)


def _share_cell(share: float | None) -> EffortCell:
    return EffortCell() if share is None else EffortCell(f"{share:.0%}")


def _time(study: Study, system: str, time: Over | None) -> EffortCell:
    amount = _amount(time)
    if amount is None:
        return EffortCell()
    note = ""
    if system in timed_at_once(study) | concurrent_systems(study):
        note = IN_PARALLEL
    elif study.choices.is_change and system == study.systems[0]:
        note = _time_change(latency_changes(study))
    return EffortCell(milliseconds(amount), note)


def _time_change(changes: Floats) -> str:
    """Return the median change between two runs, which one slow request hardly moves, if known."""
    if not len(changes):
        return ""
    change = float(np.median(changes))
    is_unseen = abs(change) < 1
    sign = "" if is_unseen else "-" if change < 0 else "+"
    median = f"{sign}{milliseconds(abs(change))}"
    return f"median change {median}, faster on {(changes < 0).sum()} of {len(changes)}"


def _tokens_of(board: Leaderboard) -> Iterator[EffortCell]:
    """Yield each system's tokens per answer, with the number of answers if others have more."""
    most = max((row.tokens.n for row in board.rows if row.tokens), default=0)
    for row in board.rows:
        amount = _amount(row.tokens)
        if row.tokens is None or amount is None:
            yield EffortCell()
            continue
        note = f"n {row.tokens.n:,}" if row.tokens.n < most else ""
        yield EffortCell(f"{amount:,.0f}", note)


def _cost(cost: Over | None, by_coverage: Cell) -> EffortCell:
    """Return the dollars per 1,000 answers, and those per 1,000 answers and point of coverage."""
    dollars = _amount(cost)
    point = _amount(by_coverage)
    if not dollars:
        return EffortCell("" if dollars is None else "$0")
    note = f"{show(Usd(point * 1000))} a point" if point else ""
    return EffortCell(show(Usd(dollars * 1000)), note)


def _rightly_declined_cell(study: Study, system: str, declined: Over | None) -> EffortCell:
    """Return the share and count of declined questions, and the first sentences' if it differs."""
    share = _amount(declined)
    if declined is None or share is None:
        return EffortCell()
    note = f"{share * declined.n:.0f} of {declined.n:,}"
    by_program = declined_by_program(study).get(system)
    if by_program is not None and by_program != declined:
        count = (_amount(by_program) or 0) * by_program.n
        note += f"; {count:.0f} by first sentence"
    return EffortCell(f"{share:.0%}", note)


def _answered_cell(row: LeaderboardRow) -> EffortCell:
    epochs = f"{row.epochs:.3g} epochs each" if row.epochs > 1 else ""
    return EffortCell(f"{row.count} of {row.samples}", epochs)


def place_of(row: LeaderboardRow, standing: Standing) -> str:
    """Return the place of a system on a leaderboard, with the number compared if not all are."""
    if row.is_bound:
        return REFERENCE
    return f"{standing.word} ({standing.extent})" if standing.extent else standing.word


def places(board: "Leaderboard") -> list[str]:
    """Explain the places that occur on a board, e.g. `not separated: no difference shown`."""
    on_board = set()
    for row in board.rows:
        for standing in filter(None, row.standings):
            on_board.add((REFERENCE, "") if row.is_bound else (standing.word, standing.extent))
    words = {word for word, _ in on_board}
    explanations = [f"{word}: {meaning}" for word, meaning in _PLACES.items() if word in words]
    extents = [extent for _, extent in sorted(on_board) if extent]
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
