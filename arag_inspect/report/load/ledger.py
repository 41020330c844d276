"""Amounts paid for the runs in log folders, read from the ledger that runs keep there."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from operator import attrgetter

import fsspec
import pandas as pd
from pydantic import BaseModel, Field, ValidationError

from ..._util.wording import format_count
from ...models.spending import LEDGER
from ...types.system import EXTERNAL
from ..frames import Frames
from ..rows import VerdictRow
from .runs import Run

_LARGEST = 256_000_000
"""Maximum bytes of a ledger: two million calls."""


class _Call(BaseModel):
    """One line of the ledger."""

    task: str | None
    """Inspect's `task_id`; None for calls that belong to no run."""

    judge: bool = False
    """Whether a judge was asked, not the system."""

    usd: float | None = Field(ge=0, le=1e6, allow_inf_nan=False)
    """Dollars paid; None for a model without a known price."""


def bill_text(folders: Sequence[str], frames: Frames) -> str | None:
    """Return the amount paid in log folders, and the part of it for replies that are in no log.

    Returns:
        A line without a full stop; None if no folder has a ledger.
    """
    ledgers = [ledger for ledger in map(_read_lines, folders) if ledger is not None]
    if not ledgers:
        return None
    lines = list(chain.from_iterable(ledgers))
    calls = _parse_calls(lines)
    answers = frames.answers[frames.answers["task_id"].isin(calls["task"])]
    verdicts = frames.verdicts[frames.verdicts["answer"].isin(answers["answer"])]
    price = float(answers["cost_usd"].sum() + verdicts["cost_usd"].sum())
    paid = float(calls["usd"].sum()) + _paid_to_services(answers, calls) + _paid_again(verdicts)
    gone = paid - price
    text = f"${paid:,.2f} spent, earlier starts included"
    if gone > max(0.005, 0.001 * paid):
        text += f"; ${gone:,.2f} of it ({gone / paid:.0%}) on calls whose replies are in no log"
    unpriced = int(calls["usd"].isna().sum())
    if unpriced:
        text += f"; {format_count(unpriced, 'call')} without a known price"
    damaged = len(lines) - len(calls)
    if damaged:
        text += f"; left out {format_count(damaged, 'damaged line')} of {LEDGER}"
    return text


def with_paid(runs: Iterable[Run], folders: Sequence[str]) -> list[Run]:
    """Return the runs with the amount paid for each, and the part of that for its judges.

    The amount is the amount in the folders' ledgers and, without a call of the system in them, what
    a live system reports for its answers.
    """
    ledgers = [_parse_calls(_read_lines(folder) or []) for folder in folders]
    return [_with_paid(run, ledgers) for run in runs]


def _with_paid(run: Run, ledgers: Iterable[pd.DataFrame]) -> Run:
    names = ("task_id", "answered_by", "cost_usd")
    answers = pd.DataFrame(map(attrgetter(*names), run.answers), columns=list(names))
    verdicts = pd.DataFrame(run.verdicts, columns=list(VerdictRow._fields))
    row = run.row
    for calls in ledgers:
        of_run = calls[calls["task"].isin(answers["task_id"])]
        if len(of_run):
            to_judges = float(of_run.loc[of_run["judge"], "usd"].sum()) + _paid_again(verdicts)
            to_system = float(of_run.loc[~of_run["judge"], "usd"].sum())
            to_system += _paid_to_services(answers, calls)
            row = row._replace(paid_usd=to_system + to_judges, paid_judges_usd=to_judges)
    return replace(run, row=row)


def _paid_to_services(answers: pd.DataFrame, calls: pd.DataFrame) -> float:
    """Return the dollars that live systems report for answers, which no call of a ledger has."""
    has_calls = answers["task_id"].isin(calls.loc[~calls["judge"], "task"])
    is_service = (answers["answered_by"] == EXTERNAL.name) & ~has_calls
    return float(answers.loc[is_service, "cost_usd"].astype(float).sum())


def _paid_again(verdicts: pd.DataFrame) -> float:
    """Return the dollars of verdicts that `rejudge` repeated, which no ledger has."""
    return float(verdicts.loc[verdicts["repeat"] > 0, "cost_usd"].astype(float).sum())


def _read_lines(folder: str) -> list[bytes] | None:
    """Return the lines of a folder's ledger; None if missing, or it is too large."""
    with suppress(Exception):  # a remote location's library can raise any error
        files, root = fsspec.core.url_to_fs(folder)
        path = f"{root.rstrip('/')}/{LEDGER}"
        if files.exists(path) and files.size(path) <= _LARGEST:
            lines: list[bytes] = files.cat_file(path).splitlines()
            return lines
    return None


def _parse_calls(lines: Iterable[bytes]) -> pd.DataFrame:
    """Return the calls in the lines of a ledger, without damaged lines."""
    calls = []
    for line in lines:
        with suppress(ValidationError):  # a killed run leaves a part of a line
            calls.append(dict(_Call.model_validate_json(line)))
    return pd.DataFrame(calls, columns=list(_Call.model_fields)).astype(
        {"judge": bool, "usd": float}
    )
