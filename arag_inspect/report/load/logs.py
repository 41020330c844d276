"""Read logs into frames, from any location that Inspect supports."""

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog

from ..._util.errors import InputError, unreadable
from ..._util.log_files import CHECK_TASK, find_logs, read_log
from ..._util.progress import Progress, no_progress
from ..._util.wording import counted, listed
from ..frames import (
    ANSWERS,
    KEYS,
    RUNS,
    SCORES,
    VERDICTS,
    Frames,
    Level,
    LogOptions,
    Notice,
    Row,
    make_frame,
)
from .header import run_row
from .join import (
    JoinedRun,
    code_changes,
    differences,
    group,
    join_slices,
    mark_parts,
    system_of,
    task_of,
)
from .ledger import add_paid, bill_text
from .runs import Run, read_run
from .scores import align_keys
from .systems import name_runs, solver_of

_UNREAD = {"events", "events_data", "messages", "attachments", "timelines", "error_retries"}
"""Large log fields that no table uses."""


@dataclass(frozen=True)
class _Header:
    """A log without its samples."""

    log: EvalLog
    modified: float
    label: str | None

    @property
    def name(self) -> str:
        return self.log.location.split("/")[-1]

    @property
    def is_check(self) -> bool:
        """Whether it is the one question of `doctor --system`."""
        return self.log.eval.task == CHECK_TASK

    @property
    def samples(self) -> str:
        """Status, and number of completed samples."""
        done = self.log.results.completed_samples if self.log.results else 0
        return f"{self.log.status}, {counted(done, 'sample')}"

    @property
    def scorers(self) -> set[str]:
        return {scorer.name for scorer in self.log.eval.scorers or []}

    @cached_property
    def row(self) -> Row:
        """Row of its run."""
        return run_row(self.log, ()) | {"label": self.label, "solver": solver_of(self.log)}

    @property
    def run(self) -> tuple[object, ...]:
        """Properties that copies of one run share."""
        spec = self.log.eval
        return (
            spec.eval_id,
            spec.run_id,
            spec.created,
            spec.model,
            task_of(self.row),
            spec.dataset.name,
        )

    @property
    def asked(self) -> frozenset[str]:
        """Samples that it was asked for; the log's own location if unknown."""
        return frozenset(map(str, self.log.eval.dataset.sample_ids or [self.log.location]))


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
    headers = _without_checks(_headers(paths, reading, notices), notices)
    by_system = group(headers, lambda header: system_of(header.row))
    selection = _select(headers, reading.every, notices)
    runs: list[Run] = []
    with progress(len(selection)) as advance, _no_collection():
        for header in selection:
            run = _read_run(header, reading, notices)
            if run is not None:
                if not reading.every:
                    same_system = by_system[system_of(header.row)]
                    run.row["earlier_code"] = _earlier_code(header, same_system)
                runs.append(run)
            advance()
    if not runs:
        raise InputError(_no_log_message(paths, notices))
    answers = chain.from_iterable(run.answers for run in runs)
    if reading.cluster and not any(answer["company"] for answer in answers):
        raise InputError(f"no sample has {reading.cluster!r} in its metadata or fields")
    _align_keys(runs)
    if not reading.every:
        runs, joining_notices = _join(runs)
        notices += joining_notices
    folders = [str(path) for path in paths]
    add_paid(runs, folders)
    frames = _frames(runs)
    bills = {folder: bill_text(folder, frames) for folder in folders}
    notices += [Notice("note", text, folder) for folder, text in bills.items() if text]
    measures = sorted(set(frames.scores["measure"]))
    unknown = sorted({*reading.lower, *reading.higher} - {*measures})
    if unknown:
        text = f"no log has the measure {', '.join(unknown)}; choose from {', '.join(measures)}"
        notices.append(Notice("warning", text))
    return frames._replace(notices=tuple(_merge_repeated(notices)))


def _merge_repeated(notices: Iterable[Notice]) -> Iterator[Notice]:
    """State once what is the same for several logs, and of how many more it is true."""
    for alike in group(notices, _without_log).values():
        first = alike[0]
        more = len({notice.location for notice in alike}) - 1
        suffix = f" (the same in {counted(more, 'more log')})" if more else ""
        yield first._replace(text=f"{first.text}{suffix}")


def _without_log(notice: Notice) -> tuple[str, str]:
    """Return the level and text of a notice without the name of the log that begins it."""
    name = notice.location.split("/")[-1]
    return notice.level, notice.text.removeprefix(f"{name} ")


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


def _align_keys(runs: Iterable[Run]) -> None:
    """Let the runs of each task share their measure keys and declarations."""
    for alike in group(runs, lambda run: task_of(run.row)).values():
        align_keys([(run.row, run.scores) for run in alike])
        merged: dict[str, Any] = {}
        for run in alike:
            merged |= run.row["declared"]
        for run in alike:  # a run without any figure of a measure shows nothing about it
            run.row["declared"] = {**merged, **run.row["declared"]}


def _join(logs: Sequence[Run]) -> tuple[list[Run], list[Notice]]:
    """Join slices and parts of runs (`join_slices`, `mark_parts`); also return notices of it."""
    rows = mark_parts(log.row for log in logs)
    parts = {row["eval_id"]: row["part"] for row in rows}
    signatures: dict[tuple[str, str], set[str]] = defaultdict(set)
    for log in logs:
        name = log.row["eval_id"]
        for answer in log.answers:
            answer["part"] = parts[name]
        for score in log.scores:
            signature = score.get("signature")
            if signature:
                signatures[name, score["scorer"]].add(signature)
    joined, notices = join_slices(rows, signatures)
    return [_select_rows(run, logs) for run in joined], notices


def _select_rows(joined: JoinedRun, logs: Sequence[Run]) -> Run:
    """Return the rows of the samples of each log that count."""
    samples = {row["eval_id"]: ids for row, ids in joined.logs}
    run = Run(joined.row, [], [], [])
    for log in logs:
        ids = samples.get(log.row["eval_id"], ())
        run.answers.extend(row for row in log.answers if row["id"] in ids)
        run.scores.extend(row for row in log.scores if row["of"]["id"] in ids)
        run.verdicts.extend(row for row in log.verdicts if row["of"]["id"] in ids)
    return run


def _frames(runs: Sequence[Run]) -> Frames:
    """Name and sort the runs, and return their frames."""
    by_id = {run.row["eval_id"]: run for run in runs}
    benchmarks = group((run.row for run in runs), lambda row: (*task_of(row), row["dataset"]))
    rows: list[Row] = []
    for key in sorted(benchmarks):
        rows += name_runs(benchmarks[key])
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
        make_frame(answers, ANSWERS),
        make_frame(scores, SCORES),
        make_frame(rows, RUNS),
        make_frame(verdicts, VERDICTS),
    )


def _headers(
    paths: Sequence[str | Path], reading: LogOptions, notices: list[Notice]
) -> list[_Header]:
    """Return the header of every log, in the order of the runs."""
    headers = {}
    for path in map(str, paths):
        if not path.strip():
            raise InputError("the path of a log is empty; give a file or a folder")
        try:
            times = dict(find_logs(path))
        except Exception as error:  # a remote location's library can raise any error
            notices.append(_left_out(path, error))
            continue
        for location, modified in times.items():
            if location in headers:
                name = location.split("/")[-1]
                notices.append(Notice("note", f"{name} is given twice and read once", location))
                continue
            log = _open(location, notices, header_only=True)
            if log is not None:
                headers[location] = _Header(log, modified, reading.label(location))
    return sorted(headers.values(), key=lambda header: header.log.eval.created)


def _without_checks(headers: list[_Header], notices: list[Notice]) -> list[_Header]:
    """Leave out the logs of `doctor --system`, unless there are no others."""
    runs = [header for header in headers if not header.is_check]
    for header in headers if runs else ():
        if header.is_check:
            text = f"{header.name} is the check of doctor --system and is ignored"
            notices.append(Notice("note", text, header.log.location))
    return runs or headers


def _read_run(header: _Header, reading: LogOptions, notices: list[Notice]) -> Run | None:
    """Read a log into rows; its samples are released before the next log is read."""
    log = _open(header.log.location, notices, exclude_fields=_UNREAD)
    return None if log is None else read_run(log, header.label, reading, notices)


def _open(location: str, notices: list[Notice], **options: Any) -> EvalLog | None:
    """Read a log; if it cannot be read, add a notice and return None."""
    try:
        return read_log(location, **options)
    except Exception as error:  # a file that is not a log can raise any error
        notices.append(_left_out(location, error))
        return None


_Key = Callable[[_Header], Any]
_Reason = Callable[[_Header, _Header], str]


def _select(headers: list[_Header], every: bool, notices: list[Notice]) -> list[_Header]:
    """Return one log per run and, unless every run counts, one per system and set of samples.

    Of copies of a run, choose one with samples and the most scorers, and among these the last
    written; of different runs with the same eval_id, which Inspect never creates, the first; of
    runs of a system on the same samples, the newest successful one, else the newest.
    """

    def choose(same: _Key, order: _Key, level: Level, why: _Reason) -> None:
        copies = group(headers, same)
        headers[:] = [max(headers_alike, key=order) for headers_alike in copies.values()]
        for best, headers_alike in zip(headers, copies.values(), strict=True):
            for other in headers_alike:
                if other is not best:
                    text = f"{other.name} {why(other, best)}"
                    notices.append(Notice(level, text, other.log.location))

    choose(lambda header: header.run, _completeness, "note", _why_copy)
    choose(lambda header: header.log.eval.eval_id, lambda _: (), "error", _why_same_id)
    if not every:
        choose(
            lambda header: (system_of(header.row), header.asked),
            _success_and_date,
            "note",
            _why_another_run,
        )
    return headers


def _completeness(header: _Header) -> tuple[bool, int, float]:
    return header.log.samples is None, len(header.scorers), header.modified


def _success_and_date(header: _Header) -> tuple[bool, str]:
    return header.log.status == "success", header.log.eval.created


def _why_same_id(_: _Header, best: _Header) -> str:
    return f"is left out: it has the eval_id of {best.name}, which is another run"


def _why_copy(other: _Header, best: _Header) -> str:
    text = f"is a copy of {best.name}, which is used"
    missing_scorers = other.scorers - best.scorers
    if missing_scorers:
        text += f" but lacks {', '.join(sorted(missing_scorers))}; run all scorers on one copy"
    return text


def _why_another_run(other: _Header, best: _Header) -> str:
    text = (
        f"({other.samples}) is another run of the same system; {best.name} ({best.samples}) counts"
    )
    differing = differences(best.row, other.row, {})
    return f"{text}; they differ in {listed(differing)}" if differing else text


def _earlier_code(header: _Header, same_system: Iterable[_Header]) -> tuple[str, ...]:
    """Return the code of users that differs in other logs of a system."""
    changes = chain.from_iterable(code_changes(other.row, header.row) for other in same_system)
    return tuple(dict.fromkeys(changes))


def _left_out(location: str, error: Exception) -> Notice:
    return Notice("error", f"{location} cannot be read: {unreadable(error)}", location)


def _no_log_message(paths: Sequence[str | Path], notices: Sequence[Notice]) -> str:
    reasons = [notice.text for notice in notices if notice.level == "error"]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    why = f": {reasons[0]}{more}" if reasons else ""
    return f"no log to report in {', '.join(map(str, paths)) or 'nothing'}{why}"
