"""Choose the logs that count: one copy of each run, and one run of each system."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog

from ..._util.errors import InputError, unreadable
from ..._util.grouping import group
from ..._util.log_files import PURPOSE, VALIDATION, find_logs, read_log
from ..._util.names import file_name
from ..._util.wording import format_count, join_names
from ..frames import Level, LogOptions, Notice
from ..rows import RunRow
from .header import run_row
from .join import differences
from .measures import numbered_scorers
from .systems import system_of, task_of


@dataclass(frozen=True)
class LogHeader:
    """A log without its samples."""

    log: EvalLog
    modified: float
    label: str | None

    @property
    def name(self) -> str:
        """File name of the log."""
        return file_name(self.log.location)

    @property
    def purpose(self) -> str | None:
        """What the log is if reports leave it out, e.g. the result of a validation."""
        return (self.log.eval.metadata or {}).get(PURPOSE)

    @property
    def progress(self) -> str:
        """Status, and number of completed samples."""
        done = self.log.results.completed_samples if self.log.results else 0
        return f"{self.log.status}, {format_count(done, 'sample')}"

    @property
    def scorers(self) -> dict[str, dict[str, Any]]:
        """Its scorers by their name in the samples, with their options."""
        return {name: scorer.options or {} for name, scorer in numbered_scorers(self.log)}

    @cached_property
    def row(self) -> RunRow:
        """Row of its run."""
        return run_row(self.log, (), self.label)

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


class LogSelection(NamedTuple):
    """Logs to report on, and notices of others."""

    headers: Sequence[LogHeader]
    notices: Sequence[Notice]


def _read_headers(paths: Sequence[str | Path], reading: LogOptions) -> LogSelection:
    """Return the header of every log, in the order of the runs.

    Raises:
        InputError: A path is empty.
    """
    headers: dict[str, LogHeader] = {}
    notices: list[Notice] = []
    for path in map(str, paths):
        if not path.strip():
            raise InputError("the path of a log is empty; give a file or a folder")
        try:
            times = dict(find_logs(path))
        except Exception as error:  # a remote location's library can raise any error
            notices.append(_unreadable(path, error))
            continue
        for location, modified in times.items():
            if location in headers:
                name = file_name(location)
                notices.append(Notice("note", f"{name} is given twice and read once", location))
                continue
            log = open_log(location, header_only=True)
            if isinstance(log, Notice):
                notices.append(log)
            else:
                headers[location] = LogHeader(log, modified, reading.label(location))
    in_order = sorted(headers.values(), key=lambda header: header.log.eval.created)
    runs = _select_runs(in_order)
    return runs._replace(notices=[*notices, *runs.notices])


def _select_runs(headers: Sequence[LogHeader]) -> LogSelection:
    """Leave out logs that are no runs: results of a validation, and others beside runs."""
    runs = [header for header in headers if header.purpose is None]
    selected = runs or [header for header in headers if header.purpose != VALIDATION]
    notices = []
    for header in headers:
        if header.purpose == VALIDATION or (header.purpose is not None and runs):
            text = f"{header.name} is {header.purpose} and is ignored"
            if header.purpose == VALIDATION:
                summary = (header.log.eval.metadata or {}).get("summary")
                text += f" (inspect view shows its parts): {summary}"
            notices.append(Notice("note" if selected else "error", text, header.log.location))
    return LogSelection(selected, notices)


def open_log(location: str, **options: Any) -> EvalLog | Notice:
    """Return a log, or a notice that it is unreadable."""
    try:
        return read_log(location, **options)
    except Exception as error:  # a file that is not a log can raise any error
        return _unreadable(location, error)


def _unreadable(location: str, error: Exception) -> Notice:
    return Notice("error", f"{location} cannot be read: {unreadable(error)}", location)


class _Choice(NamedTuple):
    """Rule for choosing one log among several, with the reason for omitting the others."""

    alike: Callable[[LogHeader], Any]
    """Property that the logs to choose from share."""

    rank: Callable[[LogHeader], Any]
    """Sort key; the log with the highest is chosen, the first of equal ones."""

    level: Level
    reason: Callable[[LogHeader, LogHeader], str]
    """Why a log is left out, given the chosen one."""

    def apply(self, selection: LogSelection) -> LogSelection:
        """Return one log of each group, with a notice for every other."""
        best_logs = []
        notices = [*selection.notices]
        for alike in group(selection.headers, self.alike).values():
            best = max(alike, key=self.rank)
            best_logs.append(best)
            for other in alike:
                if other is not best:
                    text = f"{other.name} {self.reason(other, best)}"
                    notices.append(Notice(self.level, text, other.log.location))
        return LogSelection(best_logs, notices)


def select_logs(paths: Sequence[str | Path], reading: LogOptions) -> LogSelection:
    """Return one log per run and, unless every run counts, one per system and set of samples.

    Among copies of a run, choose the copy with samples and the most scorers, then the last written;
    among different runs with one eval_id, which Inspect never creates, the first; among runs of a
    system on the same samples, the newest successful run, else the newest.

    Raises:
        InputError: A path is empty.
    """
    selection = _read_headers(paths, reading)
    for choice in (_COPY, _SAME_ID) if reading.every else (_COPY, _SAME_ID, _RUN_OF_SYSTEM):
        selection = choice.apply(selection)
    return selection


def _completeness(header: LogHeader) -> tuple[bool, int, float]:
    return header.log.samples is None, len(header.scorers), header.modified


def _success_and_date(header: LogHeader) -> tuple[bool, str]:
    return header.log.status == "success", header.log.eval.created


def _why_same_id(_: LogHeader, best: LogHeader) -> str:
    return f"is left out: it has the eval_id of {best.name}, which is another run"


def _why_copy(other: LogHeader, best: LogHeader) -> str:
    text = f"is the same run as {best.name}, which is used"
    missing = []
    for name, options in other.scorers.items():
        if name not in best.scorers:
            missing.append(name)
        elif options != best.scorers[name]:
            settings = ", ".join(f"{option}={value}" for option, value in options.items())
            missing.append(f"{name} ({settings or 'no options'})")
    if missing:
        text += f" but lacks {', '.join(sorted(missing))}; run all scorers on one copy"
    return text


def _why_another_run(other: LogHeader, best: LogHeader) -> str:
    text = f"({other.progress}) is another run of the same system; "
    text += f"{best.name} ({best.progress}) counts"
    differing = differences(best.row, other.row)
    return f"{text}; they differ in {join_names(differing)}" if differing else text


_COPY = _Choice(lambda header: header.run, _completeness, "note", _why_copy)
_SAME_ID = _Choice(lambda header: header.log.eval.eval_id, lambda _: (), "error", _why_same_id)
_RUN_OF_SYSTEM = _Choice(
    lambda header: (system_of(header.row), header.asked),
    _success_and_date,
    "note",
    _why_another_run,
)


def check_labels(reading: LogOptions, paths: Iterable[str]) -> None:
    """Refuse a label that matches no log.

    Args:
        reading: Options with the labels.
        paths: All log files and folders that are read, of both sides of a comparison.

    Raises:
        InputError: A label matches none of them.
    """
    if not reading.labels:
        return
    locations: list[str] = []
    for path in paths:
        with suppress(Exception):  # reading it says what is wrong, whatever its library raises
            locations += [location for location, _ in find_logs(path)]
    for file, name in reading.labels.items():
        alone = reading._replace(labels={file: name})
        if locations and not any(alone.label(location) for location in locations):
            example = file_name(locations[0])
            raise InputError(
                f"--label {file}={name} matches no log; give the file name of a log, e.g. "
                f"--label {example}={name}"
            )
