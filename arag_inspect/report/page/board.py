"""The leaderboard on the page's first screen."""

from collections.abc import Iterator
from typing import NamedTuple

from ..._util.wording import milliseconds
from ..analyses.cost import TIME
from ..analyses.leaderboard import DECLINED, RIGHTLY_DECLINED, Leaderboard, LeaderboardRow
from ..labels import in_sentence
from ..table import Cell, Over, Signed, Usd, raw, show


class Column(NamedTuple):
    """A column of plain figures."""

    name: str
    meaning: str
    cells: list[tuple[str, str]]
    """Figure and note of each row; empty if unknown."""


def effort_columns(board: Leaderboard) -> list[Column]:
    """Return good grades, refusals, cost, time, tokens and missing answers, unless no system has any."""
    return [column for column in _columns(board) if any(text for text, _ in column.cells)]


def _columns(board: Leaderboard) -> Iterator[Column]:
    graded = board.graded
    has_coverage = any(measure.aspect == "coverage" for measure in board.measures)
    if graded:
        least = f"{graded.good_grade:g}"
        yield Column(
            f"{in_sentence(graded).capitalize()} ≥\N{NO-BREAK SPACE}{least}",
            f"Share of the answers with a grade of at least {least} in {graded.label}.",
            [(f"{row.good.value:.0%}" if row.good else "", "") for row in board.rows],
        )
    yield Column(
        "Declined",
        f"The {DECLINED}",
        [(f"{row.declined.value:.0%}" if row.declined else "", "") for row in board.rows],
    )
    yield Column(
        "Rightly declined",
        f"The {RIGHTLY_DECLINED}",
        [_rightly_declined_cell(row.rightly_declined) for row in board.rows],
    )
    yield Column(
        "$ per 1,000 answers",
        "Dollars of the system per 1,000 answers; below, per point of coverage above the lowest, if "
        "coverage is on the board. Judges cost extra.",
        [_cost(row, has_coverage=has_coverage) for row in board.rows],
    )
    yield Column(
        "Time, p90",
        f"Nine of ten answers finish within it. {TIME} Systems that ran at once may have waited "
        "for each other on this machine. Of two runs, below: the mean change per question, with "
        "its 95 % interval.",
        list(map(_time, board.rows)),
    )
    yield Column(
        "Tokens per\N{NO-BREAK SPACE}answer",
        "Mean tokens per answer, in and out; below, the answers where other systems have more.",
        list(_tokens_of(board)),
    )
    if any(row.count < row.of or row.epochs > 1 for row in board.rows):
        yield Column(
            "Answered",
            "Samples with an answer; refused, cut off, skipped and failed ones have none.",
            list(map(_answered_cell, board.rows)),
        )


def _amount(cell: Cell) -> float | None:
    amount = raw(cell)
    return None if amount is None else float(amount)


def _time(row: LeaderboardRow) -> tuple[str, str]:
    amount = _amount(row.p90)
    if amount is None:
        return "", ""
    notes = ["ran at once"] if row.ran_at_once else []
    if row.time_change:
        notes.append(f"mean change {_signed_time(row.time_change)}")
    return milliseconds(amount), "; ".join(notes)


def _signed_time(change: Signed) -> str:
    """Return a change of a time with its interval, e.g. `-166 ms [-413 ms, +81 ms]`."""
    value, low, high = (
        "" if end is None else f"{'-' if end < 0 else '+'}{milliseconds(abs(end))}"
        for end in change[:3]
    )
    return f"{value} [{low}, {high}]" if low and high else value


def _tokens_of(board: Leaderboard) -> Iterator[tuple[str, str]]:
    """Yield each system's tokens per answer, with the number of answers if others have more."""
    most = max((row.tokens.n for row in board.rows if row.tokens), default=0)
    for row in board.rows:
        amount = _amount(row.tokens)
        if row.tokens is None or amount is None:
            yield "", ""
            continue
        yield f"{amount:,.0f}", f"n {row.tokens.n:,}" if row.tokens.n < most else ""


def _cost(row: LeaderboardRow, *, has_coverage: bool) -> tuple[str, str]:
    """Return the dollars per 1,000 answers, and those per 1,000 answers and point of coverage."""
    cost = _amount(row.cost)
    point = _amount(row.by_coverage) if has_coverage else None
    if not cost:
        return "" if cost is None else "$0", ""
    return show(Usd(cost * 1000)), f"{show(Usd(point * 1000))} a point" if point else ""


def _rightly_declined_cell(declined: Over | None) -> tuple[str, str]:
    share = _amount(declined)
    if declined is None or share is None:
        return "", ""
    return f"{share:.0%}", f"{share * declined.n:.0f} of {declined.n:,}"


def _answered_cell(row: LeaderboardRow) -> tuple[str, str]:
    epochs = f"{row.epochs:.3g} epochs each" if row.epochs > 1 else ""
    return f"{row.count} of {row.of}", epochs
