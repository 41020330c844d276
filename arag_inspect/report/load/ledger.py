"""Amounts paid for the runs in log folders, read from the ledger that runs keep there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import NamedTuple

import fsspec
import pandas as pd
from pydantic import BaseModel, Field, ValidationError

from ..._util.wording import format_count
from ...models.spending import LEDGER
from ..frames import Frames
from .runs import Run

_LARGEST = 256_000_000
"""Maximum bytes of a ledger: two million calls."""


class _Paid(BaseModel):
    """One line of the ledger."""

    task: str | None
    """Inspect's `task_id`; None for calls that belong to no run."""

    judge: bool = False
    """Whether a judge was asked, not the system."""

    usd: float | None = Field(ge=0, le=1e6, allow_inf_nan=False)
    """Dollars paid; None for a model without a known price."""


class _Ledger(NamedTuple):
    """Totals of a folder's ledger."""

    by_task: Mapping[str | None, float]
    """Dollars by Inspect's `task_id`."""

    answered: Set[str | None]
    """The `task_id`s with calls of the system, not only of judges."""

    unpriced: int
    """Number of calls without a known price."""

    unread: int
    """Number of lines that cannot be read."""


def bill_text(folder: str, frames: Frames | None) -> str | None:
    """Return the amount paid in a log folder, and the part of it for replies that are in no log.

    Returns:
        A line without a full stop; None if there is no ledger.
    """
    ledger = _ledger(folder)
    if ledger is None:
        return None
    paid = sum(ledger.by_task.values())
    price = 0.0
    if frames is not None:
        answers = frames.answers[frames.answers["task_id"].isin(ledger.by_task)]
        first = frames.verdicts[frames.verdicts["repeat"] == 0]
        verdicts = first[first["answer"].isin(answers["answer"])]
        price = float(answers["cost_usd"].sum() + verdicts["cost_usd"].sum())
        paid += _paid_to_services(answers, ledger)
    gone = paid - price
    text = f"${paid:,.2f} spent over all starts"
    if gone > max(0.005, 0.001 * paid):
        text += f"; ${gone:,.2f} of it ({gone / paid:.0%}) on calls whose replies are in no log"
    if ledger.unpriced:
        text += f"; {format_count(ledger.unpriced, 'call')} without a known price"
    return text + (
        f"; {format_count(ledger.unread, 'line')} of {LEDGER} cannot be read"
        if ledger.unread
        else ""
    )


def add_paid(runs: Iterable[Run], folders: Sequence[str]) -> None:
    """Add to the row of each run the amount paid for it.

    That is the amount in the folders' ledgers and, without a call of the system in them, what a
    live system reports for its answers.
    """
    ledgers = list(filter(None, map(_ledger, folders)))
    for run in runs:
        answers = pd.DataFrame(run.answers, columns=["task_id", "answered_by", "cost_usd"])
        for ledger in ledgers:
            tasks = set(answers["task_id"]) & ledger.by_task.keys()
            if tasks:
                amount = sum(ledger.by_task[task] for task in tasks)
                run.row["paid_usd"] = amount + _paid_to_services(answers, ledger)


def _paid_to_services(answers: pd.DataFrame, ledger: _Ledger) -> float:
    """Return the dollars that live systems report for answers, which no call of a ledger has."""
    is_service = (answers["answered_by"] == "external") & ~answers["task_id"].isin(ledger.answered)
    return float(answers.loc[is_service, "cost_usd"].astype(float).sum())


def _ledger(folder: str) -> _Ledger | None:
    """Read the ledger of a folder; None if missing."""
    lines = _read_ledger(folder)
    if lines is None:
        return None
    by_task: dict[str | None, float] = defaultdict(float)
    answered: set[str | None] = set()
    unpriced = unread = 0
    for line in lines:
        try:
            entry = _Paid.model_validate_json(line)
        except ValidationError:
            unread += 1
        else:
            unpriced += entry.usd is None
            by_task[entry.task] += entry.usd or 0.0
            if not entry.judge:
                answered.add(entry.task)
    return _Ledger(by_task, answered, unpriced, unread)


def _read_ledger(folder: str) -> list[bytes] | None:
    """Return the lines of a folder's ledger; None if missing, or it is too large."""
    with suppress(Exception):  # a remote location's library can raise any error
        files, root = fsspec.core.url_to_fs(folder)
        path = f"{root.rstrip('/')}/{LEDGER}"
        if files.exists(path) and files.size(path) <= _LARGEST:
            lines: list[bytes] = files.cat_file(path).splitlines()
            return lines
    return None
