"""Read logs into frames, from any location that Inspect supports."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TypeVar

from ..._util.errors import InputError
from ..._util.grouping import group
from ..._util.names import file_name
from ..._util.progress import Progress, no_progress
from ..._util.wording import format_count
from ..frames import Frames, LogOptions, Notice, make_frame
from ..rows import AnswerKey, AnswerRow, RunRow, ScoreRow, VerdictRow, answer_key
from .common_measures import align_measures, without_summaries
from .join import join_slices
from .ledger import bill_text, with_paid
from .pairing import share_ids
from .parts import mark_parts
from .runs import ReadLog, Run, read_run
from .selection import LogHeader, open_log, select_logs
from .systems import name_runs, task_of

Placed = TypeVar("Placed", AnswerRow, ScoreRow, VerdictRow)

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
    selection = select_logs(paths, reading)
    notices = [*selection.notices]
    runs: list[Run] = []
    with progress(len(selection.headers)) as advance, _no_collection():
        for header in selection.headers:
            log = _read_log(header, reading)
            notices += log.notices
            if log.run is not None:
                runs.append(log.run)
            advance()
    if not runs:
        raise InputError(_no_log_message(paths, notices))
    answers = chain.from_iterable(run.answers for run in runs)
    if reading.cluster and not any(answer.company for answer in answers):
        raise InputError(f"no sample has {reading.cluster!r} in its metadata or fields")
    runs = align_measures(runs)
    if not reading.every:
        runs, joining_notices = join_slices(_mark_parts(runs))
        notices += joining_notices
    folders = [str(path) for path in paths]
    frames = share_ids(_frames(with_paid(runs, folders)))
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


def _read_log(header: LogHeader, reading: LogOptions) -> ReadLog:
    """Read a log into rows; its samples are released before the next log is read."""
    log = open_log(header.log.location, exclude_fields=_UNREAD)
    if isinstance(log, Notice):
        return ReadLog(None, [log])
    return read_run(log, header.label, reading)


def _no_log_message(paths: Sequence[str | Path], notices: Sequence[Notice]) -> str:
    reasons = [notice.text for notice in notices if notice.level == "error"]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    why = f": {reasons[0]}{more}" if reasons else ""
    return f"no log to report in {', '.join(map(str, paths)) or 'nothing'}{why}"


def _mark_parts(runs: Sequence[Run]) -> list[Run]:
    """Return runs whose rows and answers contain the part of the task that they cover."""
    rows = {row.eval_id: row for row in mark_parts(run.row for run in runs)}
    marked = []
    for run in runs:
        row = rows[run.row.eval_id]
        answers = [answer._replace(part=row.part) for answer in run.answers]
        marked.append(replace(run, row=row, answers=answers))
    return marked


def _frames(runs: Sequence[Run]) -> Frames:
    """Name and sort the runs, and return their frames."""
    by_id = {run.row.eval_id: run for run in runs}
    benchmarks = group((run.row for run in runs), lambda row: (*task_of(row), row.dataset))
    rows: list[RunRow] = []
    answers: list[AnswerRow] = []
    scores: list[ScoreRow] = []
    verdicts: list[VerdictRow] = []
    counter = count()
    for key in sorted(benchmarks):
        alike = [by_id[row.eval_id] for row in benchmarks[key]]
        answers_of_all = list(chain.from_iterable(run.answers for run in alike))
        for row in name_runs(benchmarks[key]):
            run = without_summaries(by_id[row.eval_id], answers_of_all)
            numbers = {answer_key(answer): next(counter) for answer in run.answers}
            rows.append(row)
            answers += [_place(answer, row, numbers) for answer in run.answers]
            scores += [_place(score, row, numbers) for score in run.scores]
            verdicts += [_place(verdict, row, numbers) for verdict in run.verdicts]
    return Frames(
        make_frame(answers, AnswerRow),
        make_frame(scores, ScoreRow),
        make_frame(rows, RunRow),
        make_frame(verdicts, VerdictRow),
    )


def _place(row: Placed, run: RunRow, numbers: Mapping[AnswerKey, int]) -> Placed:
    """Return a row with the number of its answer and the names of its run."""
    number = numbers[answer_key(row)]
    return row._replace(answer=number, benchmark=run.benchmark, system=run.system)


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
