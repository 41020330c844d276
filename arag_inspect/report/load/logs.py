"""Read logs into frames, from any location that Inspect supports."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Any

from ..._util.errors import InputError
from ..._util.grouping import group
from ..._util.names import file_name
from ..._util.progress import Progress, no_progress
from ..._util.wording import format_count
from ..frames import KEYS, Frames, LogOptions, Notice, Row, make_frame
from ..rows import AnswerRow, RunRow, ScoreRow, VerdictRow
from .join import join_slices
from .ledger import add_paid, bill_text
from .parts import mark_parts
from .runs import Run, read_run
from .scores import align_keys, leave_out_summaries
from .selection import LogHeader, open_or_note, read_headers, select_logs
from .systems import name_runs, task_of

_UNREAD = {"events", "events_data", "messages", "attachments", "timelines", "error_retries"}
"""Large log fields that no table uses."""


def frames(
    logs: str | Path | Iterable[str | Path],
    *,
    reading: LogOptions = LogOptions(),  # noqa: B008  # immutable
    progress: Progress = no_progress,
) -> Frames:
    """Read logs into frames, grouped by benchmark, and note omissions with their reasons.

    Slices of one run, and its parts (a log per subject or language), are joined (`join_slices`,
    `mark_parts`). If a system (same solver, parameters and model on the same benchmark) has several
    runs, the newest successful one counts. Copies of a run, such as those from `inspect score`,
    count once: the one with the most scorers.

    Args:
        logs: Log files and folders, local or any address that Inspect can read.
        reading: User-supplied information about the logs.
        progress: Shows how many of the runs that count have been read.

    Raises:
        InputError: There is no log to report, or no sample has the cluster key.
    """
    paths = [logs] if isinstance(logs, str | Path) else list(logs)
    notices: list[Notice] = []
    headers = read_headers(paths, reading, notices)
    selection = select_logs(headers, reading.every, notices)
    runs: list[Run] = []
    with progress(len(selection)) as advance, _no_collection():
        for header in selection:
            run = _read_run(header, reading, notices)
            if run is not None:
                runs.append(run)
            advance()
    if not runs:
        raise InputError(_no_log_message(paths, notices))
    answers = chain.from_iterable(run.answers for run in runs)
    if reading.cluster and not any(answer["company"] for answer in answers):
        raise InputError(f"no sample has {reading.cluster!r} in its metadata or fields")
    _align_keys(runs)
    if not reading.every:
        _mark_parts(runs)
        runs, joining_notices = join_slices(runs)
        notices += joining_notices
    folders = [str(path) for path in paths]
    add_paid(runs, folders)
    frames = _frames(runs)
    bill = bill_text(folders, frames)
    if bill is not None:
        notices.append(Notice("note", bill))
    notices += _unknown_measures(frames, reading)
    return frames._replace(notices=tuple(_merge_repeated(notices)))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Disable garbage collection: log records have no cycles, and it takes a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_run(header: LogHeader, reading: LogOptions, notices: list[Notice]) -> Run | None:
    """Read a log into rows; its samples are released before the next log is read."""
    log = open_or_note(header.log.location, notices, exclude_fields=_UNREAD)
    return None if log is None else read_run(log, header.label, reading, notices)


def _no_log_message(paths: Sequence[str | Path], notices: Sequence[Notice]) -> str:
    reasons = [notice.text for notice in notices if notice.level == "error"]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    why = f": {reasons[0]}{more}" if reasons else ""
    return f"no log to report in {', '.join(map(str, paths)) or 'nothing'}{why}"


def _align_keys(runs: Iterable[Run]) -> None:
    """Let the runs of each task share their measure keys and declarations."""
    for alike in group(runs, lambda run: task_of(run.row)).values():
        align_keys([(run.row, run.scores) for run in alike])
        merged: dict[str, Any] = {}
        for run in alike:
            merged |= run.row["declared"]
        for run in alike:  # a run without any figure of a measure shows nothing about it
            run.row["declared"] = {**merged, **run.row["declared"]}


def _mark_parts(runs: Sequence[Run]) -> None:
    """Add to each run and its answers the part of the task that it covers (`mark_parts`)."""
    rows = {row["eval_id"]: row for row in mark_parts(run.row for run in runs)}
    for run in runs:
        run.row = rows[run.row["eval_id"]]
        for answer in run.answers:
            answer["part"] = run.row["part"]


def _frames(runs: Sequence[Run]) -> Frames:
    """Name and sort the runs, and return their frames."""
    by_id = {run.row["eval_id"]: run for run in runs}
    benchmarks = group((run.row for run in runs), lambda row: (*task_of(row), row["dataset"]))
    rows: list[Row] = []
    for key in sorted(benchmarks):
        rows += name_runs(benchmarks[key])
        alike = [by_id[row["eval_id"]] for row in benchmarks[key]]
        answers_of_all = list(chain.from_iterable(run.answers for run in alike))
        for run in alike:
            leave_out_summaries(answers_of_all, run.scores, run.row["declared"])
    ordered = [by_id[row["eval_id"]] for row in rows]
    answers: list[Row] = []
    scores: list[Row] = []
    verdicts: list[Row] = []
    numbers = count()
    for run in ordered:
        names = {name: run.row[name] for name in ("benchmark", "system")}
        for answer in run.answers:
            answer |= {**names, "answer": next(numbers)}
        for row in (*run.scores, *run.verdicts):
            row |= {name: row["of"][name] for name in KEYS}
        answers += run.answers
        scores += run.scores
        verdicts += run.verdicts
    return Frames(
        make_frame(answers, AnswerRow),
        make_frame(scores, ScoreRow),
        make_frame(rows, RunRow),
        make_frame(verdicts, VerdictRow),
    )


def _unknown_measures(frames: Frames, reading: LogOptions) -> Iterator[Notice]:
    """Yield a warning if the user gave the direction of a measure that no log has."""
    measures = sorted(set(frames.scores["measure"]))
    unknown = sorted({*reading.lower, *reading.higher} - {*measures})
    if unknown:
        text = f"no log has the measure {', '.join(unknown)}; choose from {', '.join(measures)}"
        yield Notice("warning", text)


def _merge_repeated(notices: Iterable[Notice]) -> Iterator[Notice]:
    """Merge notices that are the same for several logs, and count the logs."""
    for alike in group(notices, _without_log).values():
        first = alike[0]
        more = len({notice.location for notice in alike}) - 1
        suffix = f" (the same in {format_count(more, 'more log')})" if more else ""
        yield first._replace(text=f"{first.text}{suffix}")


def _without_log(notice: Notice) -> tuple[str, str]:
    """Return the level and text of a notice without the name of the log that begins it."""
    name = file_name(notice.location)
    return notice.level, notice.text.removeprefix(f"{name} ")
