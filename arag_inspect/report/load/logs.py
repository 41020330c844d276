"""Read logs from any location that Inspect supports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from inspect_ai.log import EvalLog
from inspect_ai.model import ModelConfig

from ..._util.errors import InputError, unreadable
from ..._util.log_files import read_log
from ..._util.progress import Progress, no_progress
from ...models.usage import usage_of_sample
from ...types.trace import TraceRecord
from ..frames import (
    ANSWERS,
    KEYS,
    RUNS,
    SCORES,
    VERDICTS,
    Frames,
    Level,
    Notice,
    Row,
    make_frame,
)
from ..labels import listed
from ..paid import bill_notices
from .declared import read_declared, redeclared
from .locations import find_logs, left_out
from .ranges import leave_out_impossible
from .samples import answer_row, cluster_of, is_ours, read_trace, restore_traces
from .scores import Layout, align_keys, error_codes, read_layout, score_rows, verdict_rows
from .systems import name_runs, parameters_of, solver_of
from .undeclared import find_undeclared, headline_of

_UNREAD = {"events", "messages", "attachments", "timelines", "error_retries"}
"""Large log fields that no table needs."""


class _Run(NamedTuple):
    """Rows of one log; each score and verdict has the row of its answer as `of`."""

    row: Row
    answers: list[Row]
    scores: list[Row]
    verdicts: list[Row]


class LogOptions(NamedTuple):
    """What the user says of logs that does not stand in them."""

    lower: tuple[str, ...] = ()
    """Measures of which a lower value is better."""

    higher: tuple[str, ...] = ()
    """Measures of which a higher value is better."""

    labels: Mapping[str, str] = {}
    """Name of the system by log, given as path or file name."""

    cluster: str | None = None
    """Metadata key, or field, of the samples that belong together; None for company or document."""

    every: bool = False
    """Whether every run of a system counts, and not the newest alone."""

    def label(self, location: str) -> str | None:
        """Return the name that the user gave to the system of a log."""
        names = (location, location.removeprefix("file://"), location.split("/")[-1])
        return next((self.labels[name] for name in names if name in self.labels), None)


class _Header(NamedTuple):
    """A log without its samples."""

    log: EvalLog
    modified: float
    label: str | None = None

    @property
    def benchmark(self) -> tuple[str, str, str]:
        spec = self.log.eval
        return spec.task.split("/")[-1], str(spec.task_version), spec.dataset.name or ""

    @property
    def run(self) -> tuple[object, ...]:
        """Properties that copies of one run share."""
        spec = self.log.eval
        return spec.run_id, spec.created, spec.model, self.benchmark

    @property
    def system(self) -> tuple[object, ...]:
        """Properties that runs of one system share."""
        parameters = sorted((k, repr(v)) for k, v in parameters_of(self.log).items())
        own = solver_of(self.log), self.log.eval.model, tuple(parameters)
        return (*self.benchmark, *((self.label,) if self.label else own))


def frames(
    logs: str | Path | Iterable[str | Path],
    *,
    reading: LogOptions = LogOptions(),  # noqa: B008  # immutable
    progress: Progress = no_progress,
) -> Frames:
    """Read logs into frames, grouped by benchmark, and note omissions with their reasons.

    Of several runs of one system (same solver, parameters and model on the
    same benchmark) the newest successful one counts. Copies of a run, such as
    `inspect score` makes, count once: the one with most scorers.

    Args:
        logs: Log files and folders, local or any address that Inspect can read.
        reading: What the user says of the logs.
        progress: Shows how many of the runs that count are read.

    Raises:
        InputError: There is no log to report, or no sample has the key of the clusters.
    """
    paths = [logs] if isinstance(logs, str | Path) else list(logs)
    notices: list[Notice] = []
    headers = [
        header._replace(label=reading.label(header.log.location))
        for header in _headers(paths, notices)
    ]
    runs_by_benchmark: dict[tuple[str, str, str], list[_Run]] = {}
    selection = _fullest(headers, notices)
    selection = selection if reading.every else _newest(selection, notices)
    texts: dict[str, str] = {}
    with progress(len(selection)) as advance:
        for header in selection:
            if (run := _read_run(header, reading, notices, texts)) is not None:
                runs_by_benchmark.setdefault(header.benchmark, []).append(run)
            advance()
    if not runs_by_benchmark:
        raise InputError(_no_log_message(paths, notices))
    if reading.cluster and not any(
        answer["company"]
        for own in runs_by_benchmark.values()
        for run in own
        for answer in run.answers
    ):
        raise InputError(f"no sample has {reading.cluster!r} in its metadata or fields")
    runs = [run for key in sorted(runs_by_benchmark) for run in _named(runs_by_benchmark[key])]
    answers = [row for run in runs for row in run.answers]
    numbers = count()
    for run in runs:
        keys = {"benchmark": run.row["benchmark"], "system": run.row["system"]}
        for answer in run.answers:
            answer |= keys | {"answer": next(numbers)}
        for row in (*run.scores, *run.verdicts):
            row |= {name: row["of"][name] for name in KEYS}
    read = Frames(
        make_frame(answers, ANSWERS),
        make_frame([row for run in runs for row in run.scores], SCORES),
        make_frame([run.row for run in runs], RUNS),
        make_frame([row for run in runs for row in run.verdicts], VERDICTS),
    )
    return read._replace(notices=(*notices, *bill_notices(paths, read)))


def _named(runs: Sequence[_Run]) -> list[_Run]:
    """Return the runs of a benchmark with unique names and the same keys, in order."""
    align_keys([(run.row, run.scores) for run in runs])
    merged = {key: spec for run in runs for key, spec in run.row["declared"].items()}
    for run in runs:  # a run without any figure of a measure shows nothing about it
        run.row["declared"] = {**merged, **run.row["declared"]}
    order = name_runs([run.row for run in runs])
    return sorted(runs, key=lambda run: order.index(run.row))


def _headers(paths: Sequence[str | Path], notices: list[Notice]) -> Iterator[_Header]:
    """Yield the header of every log, in the order of the runs."""
    headers = {}
    for location, modified in find_logs(paths, notices):
        try:
            log = read_log(location, header_only=True)
        except Exception as error:  # a file that is not a log can raise any error
            notices.append(left_out(location, f"it cannot be read ({unreadable(error)})"))
            continue
        headers[location] = _Header(log, modified)
    yield from sorted(headers.values(), key=lambda header: header.log.eval.created)


def _fullest(headers: Iterable[_Header], notices: list[Notice]) -> list[_Header]:
    """Return one log per run: of its copies the one with most scorers.

    Of several such copies, the one written last. A log of another run that bears the id of an
    earlier one is left out.
    """
    copies: dict[str, list[_Header]] = {}
    for header in headers:
        same = copies.setdefault(header.log.eval.eval_id, [header])
        if header.run != same[0].run:
            why = f"its eval_id is that of {_name(same[0].log)}, which is another run"
            notices.append(left_out(header.log.location, why))
        elif header is not same[0]:
            same.append(header)
    fullest = []
    for same in copies.values():
        best = max(same, key=lambda header: (len(header.log.eval.scorers or []), header.modified))
        fullest.append(best)
        notices += [
            _notice("note", other.log, f"is a copy of {_name(best.log)}, which counts")
            for other in same
            if other is not best
        ]
    return fullest


def _newest(headers: Iterable[_Header], notices: list[Notice]) -> list[_Header]:
    """Return one run per system: the newest successful one, else the newest."""
    runs: dict[tuple[object, ...], list[_Header]] = {}
    for header in headers:
        runs.setdefault(header.system, []).append(header)
    newest = []
    for same in runs.values():
        best = max(
            same, key=lambda header: (header.log.status == "success", header.log.eval.created)
        )
        newest.append(best)
        notices += [
            _notice(
                "note",
                other.log,
                f"({_samples(other.log)}) is another run of the same system; "
                f"{_name(best.log)} ({_samples(best.log)}) counts",
            )
            for other in same
            if other is not best
        ]
    return newest


def _read_run(
    header: _Header, reading: LogOptions, notices: list[Notice], texts: dict[str, str]
) -> _Run | None:
    """Read the samples of a log; if there are none, add a notice and return None."""
    location = header.log.location
    try:
        log = read_log(location, exclude_fields=_UNREAD)
    except Exception as error:
        notices.append(left_out(location, f"it cannot be read ({unreadable(error)})"))
        return None
    if lost := restore_traces(log):
        notices.append(
            _notice(
                "warning",
                log,
                f"has {lost} answers without a trace: their cost, latency, tokens and what was "
                "read are missing",
            )
        )
    if impossible := leave_out_impossible(log):
        notices.append(_notice("warning", log, impossible))
    if not log.samples:
        state = "is still running and has" if log.status == "started" else f"({log.status}) has"
        notices.append(_notice("error", log, f"{state} no finished sample"))
        return None
    counted = log.results.total_samples if log.results else 0
    if counted > len(log.samples):
        text = f"holds {len(log.samples)} of the {counted} samples that its results are of"
        notices.append(_notice("warning", log, f"{text}; figures here are of these"))
    if not any(sample.scores for sample in log.samples) and not any(map(read_trace, log.samples)):
        text = f"has no scores on its {len(log.samples)} samples; inspect score adds them"
        notices.append(_notice("error", log, text))
        return None
    invalid = sum(sample.invalidation is not None for sample in log.samples)
    if invalid:
        notices.append(_notice("warning", log, f"has {invalid} invalidated samples, left out"))
    distinct = {
        (str(sample.id), sample.epoch, sample.invalidation is None): sample
        for sample in log.samples
    }
    if duplicates := len(log.samples) - len(distinct):
        notices.append(
            _notice("warning", log, f"holds {duplicates} samples again; the last of each counts")
        )
    if measures := redeclared(log):
        text = f"declares {listed(measures)} otherwise than this package does, which decides"
        notices.append(_notice("warning", log, text))
    log = log.model_copy(update={"samples": list(distinct.values())})
    declared = read_declared(log)
    undeclared = find_undeclared(log, declared, reading.lower, reading.higher)
    notices += [_notice("warning", log, note) for note in undeclared.notes]
    row = {"declared": {**undeclared.specs, **declared}, "impossible": impossible}
    row |= {"headline": headline_of(log), "label": header.label}
    layout = read_layout(log, undeclared.texts)
    return _run(log, row, layout, texts, reading.cluster)


def _run(
    log: EvalLog, known: Row, layout: Layout, texts: dict[str, str], cluster: str | None
) -> _Run:
    spec = log.eval
    valid = [sample for sample in log.samples or [] if sample.invalidation is None]
    valid.sort(key=lambda sample: (str(sample.id), sample.epoch))
    traces = [read_trace(sample) for sample in valid]
    solver = next((trace.system for trace in traces if trace and trace.system), solver_of(log))
    answers, scores, verdicts = [], [], []
    for sample, record in zip(valid, traces, strict=True):
        trace = record or (
            TraceRecord(cost_usd=None) if is_ours(log) else usage_of_sample(sample, spec.model)
        )
        answer = answer_row(sample, trace, texts, cluster) | {
            "eval_id": spec.eval_id,
            "model": spec.model,
        }
        own = list(score_rows(sample, layout, trace.skipped))
        answer["codes"] = error_codes(own)
        answers.append(answer)
        scores += [row | {"of": answer} for row in own]
        verdicts += [row | {"of": answer} for row in verdict_rows(sample, layout)]
    epochs = range(1, (spec.config.epochs or 1) + 1)
    planned_keys = {
        (str(name), epoch) for name in spec.dataset.sample_ids or [] for epoch in epochs
    }
    if not {name for name, _ in planned_keys} & {str(sample.id) for sample in valid}:
        planned_keys = set()  # another program numbered the samples there
    all_ids = {(str(sample.id), sample.epoch) for sample in log.samples or []}
    dataset, version = spec.dataset.name or "", str(spec.task_version)
    row = {
        **{name: getattr(spec, name) for name in ("eval_id", "run_id", "task_id", "task")},
        **{name: getattr(spec, name) for name in ("model", "created")},
        "benchmark": f"{spec.task.split('/')[-1]}{dataset and f' ({dataset})'}, version {version}",
        "version": version,
        "dataset": dataset,
        "solver": solver,
        "graders": _graders(log)
        or tuple(dict.fromkeys(row["judge"] for row in verdicts if row["judge"])),
        "parameters": parameters_of(log),
        "corpus": _corpus(log),
        "made_with": _made_with(log),
        "location": log.location,
        "status": log.status,
        "planned": max(len(planned_keys), len(valid)),
        "asked": frozenset(planned_keys),
        "limited": spec.config.limit is not None or spec.config.sample_id is not None,
        "invalidated": frozenset(all_ids - {(str(sample.id), sample.epoch) for sample in valid}),
        "measures": layout.measures,
        "cluster": cluster_of(valid, cluster),
        **known,
    }
    return _Run(row, answers, scores, verdicts)


def _corpus(log: EvalLog) -> str | None:
    corpus = (log.eval.metadata or {}).get("corpus")
    digest = corpus.get("chunks_sha256") if isinstance(corpus, Mapping) else None
    return digest if isinstance(digest, str) else None


def _made_with(log: EvalLog) -> dict[str, str]:
    prompts, revision = (log.eval.metadata or {}).get("prompts_sha256"), log.eval.revision
    versions = {f"version of {name}": version for name, version in log.eval.packages.items()}
    if isinstance(prompts, str):
        versions["prompts of the package"] = prompts[:12]
    if revision is not None:
        versions["commit"] = revision.commit + (" with changes" if revision.dirty else "")
    return versions


def _graders(log: EvalLog) -> tuple[str, ...]:
    bound = (log.eval.model_roles or {}).get("grader", [])
    models = [bound] if isinstance(bound, ModelConfig) else bound
    return tuple(model.model for model in models)


def _notice(level: Level, log: EvalLog, text: str) -> Notice:
    return Notice(level, f"{_name(log)} {text}", log.location)


def _samples(log: EvalLog) -> str:
    count = log.results.completed_samples if log.results else 0
    return f"{log.status}, {count} samples"


def _name(log: EvalLog) -> str:
    return log.location.split("/")[-1]


def _no_log_message(paths: Sequence[str | Path], notices: Sequence[Notice]) -> str:
    reasons = [notice.text for notice in notices if notice.level == "error"]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    why = f": {reasons[0]}{more}" if reasons else ""
    return f"no log to report in {', '.join(map(str, paths)) or 'nothing'}{why}"
