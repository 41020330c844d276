"""What was paid for the runs of a log folder, beside the price of what their logs hold."""

from collections import defaultdict
from contextlib import suppress

import fsspec
from pydantic import BaseModel, Field, ValidationError

from ..models.spending import LEDGER
from .frames import Frames

_LARGEST = 256_000_000
"""Bytes of the largest ledger that is read: two million calls."""


class _Paid(BaseModel):
    """One line of the ledger."""

    task: str | None
    """Inspect's `task_id`; None for calls that belong to no run."""

    usd: float | None = Field(ge=0, le=1e6, allow_inf_nan=False)
    """None for a model without a known price."""


def bill_text(folder: str, frames: Frames | None) -> str | None:
    """Say what was paid in a folder of logs, beside the price of what its logs hold.

    Args:
        folder: The folder.
        frames: The runs in it, and any others; None without any.

    Returns:
        A line without a full stop; None if there is no ledger.
    """
    lines = _read_ledger(folder)
    if lines is None:
        return None
    by_task: dict[str | None, float] = defaultdict(float)
    unpriced = unread = 0
    for line in lines:
        try:
            entry = _Paid.model_validate_json(line)
        except ValidationError:
            unread += 1
        else:
            unpriced += entry.usd is None
            by_task[entry.task] += entry.usd or 0.0
    paid, price = sum(by_task.values()), 0.0
    if frames is not None:
        runs = frames.runs.loc[frames.runs["task_id"].isin(by_task), "eval_id"]
        for own in (frames.answers, frames.verdicts[frames.verdicts["repeat"] == 0]):
            price += float(own.loc[own["eval_id"].isin(runs), "cost_usd"].sum())
    gone = paid - price
    text = f"paid ${paid:,.2f} over all starts; price of the answers and verdicts ${price:,.2f}"
    if gone > max(0.005, 0.001 * paid):
        text += f"; ${gone:,.2f} ({gone / paid:.0%}) went to calls whose replies are in no log"
    if unpriced:
        text += f"; {unpriced:,} calls have no known price"
    return text + (f"; {unread:,} lines of {LEDGER} cannot be read" if unread else "")


def _read_ledger(folder: str) -> list[bytes] | None:
    """Return the lines of a folder's ledger; None if there is none, or it is too large."""
    with suppress(Exception):  # a remote location's library can raise any error
        files, root = fsspec.core.url_to_fs(folder)
        path = f"{root.rstrip('/')}/{LEDGER}"
        if files.exists(path) and files.size(path) <= _LARGEST:
            lines: list[bytes] = files.cat_file(path).splitlines()
            return lines
    return None
