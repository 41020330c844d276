"""What was paid for the runs of a log folder, beside the price of what their logs hold."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import fsspec
from pydantic import BaseModel, Field, ValidationError

from ..models.spending import LEDGER
from .frames import Frames, Notice

_LARGEST = 256_000_000
"""Bytes of the largest ledger that is read: two million calls."""


class _Paid(BaseModel):
    """One line of the ledger."""

    task: str | None
    usd: float | None = Field(ge=0, le=1e6, allow_inf_nan=False)


class Bill(NamedTuple):
    """What the ledger of a log folder adds up to."""

    by_task: dict[str | None, float]
    """Dollars by Inspect's `task_id`; None for calls that belong to no run."""

    unpriced: int
    """Calls of models without a known price."""

    unread: int
    """Lines that are none of a ledger's."""


def read_bill(folder: str | Path) -> Bill | None:
    """Add up the ledger of a log folder; None if there is none, or it is too large."""
    try:
        files, root = fsspec.core.url_to_fs(str(folder))
        path = f"{root.rstrip('/')}/{LEDGER}"
        if not files.exists(path) or files.size(path) > _LARGEST:
            return None
        lines = files.cat_file(path).splitlines()
    except Exception:  # a remote location's library can raise any error; the logs' own is reported
        return None
    by_task: dict[str | None, float] = {}
    unpriced = unread = 0
    for line in lines:
        try:
            entry = _Paid.model_validate_json(line)
        except ValidationError:
            unread += 1
            continue
        unpriced += entry.usd is None
        by_task[entry.task] = by_task.get(entry.task, 0.0) + (entry.usd or 0.0)
    return Bill(by_task, unpriced, unread)


def price_of(frames: Frames, tasks: Collection[str | None]) -> float:
    """Return the price of the answers and verdicts in the logs of some runs."""
    runs = frames.runs.loc[frames.runs["task_id"].isin(tasks), "eval_id"]
    first = frames.verdicts[frames.verdicts["repeat"] == 0]
    paid = (own.loc[own["eval_id"].isin(runs), "cost_usd"] for own in (frames.answers, first))
    return float(sum(costs.sum() for costs in paid))


def bill_notices(paths: Iterable[str | Path], frames: Frames) -> Iterator[Notice]:
    """Yield what was paid in each folder of logs that has a ledger."""
    for folder in map(str, paths):
        if (text := bill_text(folder, frames)) is not None:
            yield Notice("note", text, folder)


def bill_text(folder: str, frames: Frames | None) -> str | None:
    """Say what was paid in a folder of logs, beside the price of what its logs hold.

    Args:
        folder: The folder.
        frames: The runs in it, and any others; None without any.

    Returns:
        A line without a full stop; None if there is no ledger.
    """
    bill = read_bill(folder)
    if bill is None:
        return None
    paid = sum(bill.by_task.values())
    price = 0.0 if frames is None else price_of(frames, bill.by_task)
    gone = paid - price
    text = f"paid ${paid:,.2f} over all starts; price of the answers and verdicts ${price:,.2f}"
    if gone > max(0.005, 0.001 * paid):
        text += f"; ${gone:,.2f} ({gone / paid:.0%}) went to calls whose replies are in no log"
    if bill.unpriced:
        text += f"; {bill.unpriced:,} calls have no known price"
    if bill.unread:
        text += f"; {bill.unread:,} lines of {LEDGER} cannot be read"
    return text
