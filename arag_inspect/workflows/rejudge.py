"""Judge the same answers again, to measure a judge's self-agreement."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from uuid import uuid4

from inspect_ai import score
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.scorer import Scorer

from .. import scorers
from .._util.errors import InputError, unreadable


class Rejudged(NamedTuple):
    """Result of repeated judging."""

    log: Path
    changed: tuple[str, ...]
    """Scorers that have changed since, in version, prompt, criteria or judge: not repetitions."""


def rejudge(location: str, out: Path | None = None, only: Sequence[str] = ()) -> Rejudged:
    """Judge the answers of a log once more, with the same judges and settings.

    The new scores are stored beside the old ones, as by `inspect score --action append`
    (`geval_coverage1` beside `geval_coverage`), in a separate log, which
    `eval_set` does not mistake for an attempt; `arag-inspect report` reads the one
    as a repetition of the other, by their common `eval_id`.

    Args:
        location: The log, local or any address that Inspect can read.
        out: Log to write. Default: `<name>-rejudged.eval` beside a local log.
        only: Names of the scorers to repeat; default: all that ask a judge.

    Raises:
        InputError: The log cannot be read, has no judged score, or the new one exists.
    """
    log = read_samples(location)
    target = out or _default_target(location)
    if target.exists():
        raise InputError(f"{target} exists; name another with -o")
    names = _judged(log, only)
    new_log = score(log, [_scorer(log, name) for name in names], action="append")
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.partial")
    try:
        form: Literal["json", "eval"] = "json" if target.suffix == ".json" else "eval"
        write_eval_log(_with_own_task(new_log), str(unfinished), format=form)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return Rejudged(target, tuple(name for name in names if _changed(log, new_log, name)))


def read_samples(location: str) -> EvalLog:
    """Read a log with its samples.

    Raises:
        InputError: It cannot be read or has no samples.
    """
    try:
        log = read_eval_log(location, resolve_attachments=True)
    except Exception as error:  # a file that is not a log can raise any error
        raise InputError(f"{location} cannot be read as a log ({unreadable(error)})") from None
    if not log.samples:
        raise InputError(f"{location} has no samples to judge")
    return log


def _default_target(location: str) -> Path:
    path = Path(location.removeprefix("file://"))
    if not path.is_file():
        raise InputError(f"{location} is not a local file; say with -o where to write")
    return path.with_name(f"{path.stem}-rejudged.eval")


def _judged(log: EvalLog, only: Sequence[str]) -> list[str]:
    """Return the names of the scorers of a log that asked a judge."""
    names = [entry.name for entry in log.eval.scorers or []]
    judged_names = [
        name
        for name in names
        if any(
            (result.metadata or {}).get("judges")
            for sample in log.samples or []
            if (result := (sample.scores or {}).get(name)) is not None
        )
    ]
    unknown = [name for name in only if name not in judged_names]
    if unknown or not judged_names:
        wrong = f"scorer {unknown[0]!r} asked no judge" if unknown else "no scorer asked a judge"
        names_text = ", ".join(judged_names) or "none"
        raise InputError(f"{wrong} in {log.location}; those that did: {names_text}")
    return list(only) or judged_names


def _changed(before: EvalLog, after: EvalLog, name: str) -> bool:
    """Return whether the signature of a scorer's new scores differs from the old one."""
    old = _signatures(before, {name})
    added = {key for sample in after.samples or [] for key in sample.scores or {}} - {
        key for sample in before.samples or [] for key in sample.scores or {}
    }
    new = _signatures(after, {key for key in added if re.fullmatch(rf"{name}-?\d+", key)})
    return not new <= old


def _signatures(log: EvalLog, names: set[str]) -> set[str]:
    return {
        signature
        for sample in log.samples or []
        for key, result in (sample.scores or {}).items()
        if key in names and (signature := (result.metadata or {}).get("signature"))
    }


def _with_own_task(log: EvalLog) -> EvalLog:
    """Give a log its own task id and plan.

    Of logs with one task id, `eval_set` keeps the last written; by the name of
    the plan it recognises another task, and so never continues this log.
    """
    spec = log.eval.model_copy(update={"task_id": uuid4().hex})
    plan = log.plan.model_copy(update={"name": "rejudged"})
    return log.model_copy(update={"eval": spec, "plan": plan})


def _scorer(log: EvalLog, name: str) -> Scorer:
    """Recreate a scorer of a log with the same options."""
    options = next(entry.options for entry in log.eval.scorers or [] if entry.name == name)
    make = getattr(scorers, name.split("/")[-1], None)
    if make is None:
        raise InputError(
            f"scorer {name!r} of {log.location} is not from arag-inspect; leave it out"
        )
    scorer: Scorer = make(**(options or {}))
    return scorer
