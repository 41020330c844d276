"""Join the slices of a run: logs that differ only in their samples."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..._util.grouping import group
from ..._util.names import file_name
from ..._util.wording import format_count, join_names, join_or_count
from ...judge.signature import Signature
from ..frames import Notice
from ..rows import AnswerRow, RunRow, ScoreRow, VerdictRow
from .header import CODE, EMBEDDING, FILE, PROMPTS
from .parts import samples_of
from .runs import Run
from .systems import system_of

_LOCAL_PARAMETERS = re.compile(r"(.*[_.])?(dir|path|file|port|retries|connections)|limit")
"""Parameters that may differ between slices of one run."""


class _JoinedRun(NamedTuple):
    """Logs that differ only in their samples, as one run."""

    run: Run
    logs: Sequence[tuple[Run, frozenset[str]]]
    """Each log that counts with its samples that no newer log has, the newest log first."""

    replaced: Sequence[RunRow]
    """Logs whose samples are all in newer ones."""

    @property
    def size(self) -> int:
        """Number of its samples."""
        return sum(len(samples) for _, samples in self.logs)

    @property
    def names(self) -> str:
        """Its logs by name, or their number."""
        return join_or_count((_name(log.row) for log, _ in self.logs), "log")

    def __str__(self) -> str:
        return f"{self.names} ({self.run.row.status}, {format_count(self.size, 'sample')})"

    @property
    def counts(self) -> str:
        """A clause stating that it counts."""
        return f"{self} {'counts' if len(self.logs) == 1 else 'count'}"


def join_slices(logs: Iterable[Run]) -> tuple[list[Run], list[Notice]]:
    """Join the slices of each run, and keep one run of each system.

    Logs of a system that differ only in their samples are slices of one run, including logs of
    different parts of a task. If a sample is in several slices, with the same question, the newest
    counts. If a system has several runs, the newest finished one counts, unless a finished one with
    another number of epochs has more samples.

    Returns:
        One run of each system, with the `eval_id` of its newest log, and notices of what was joined
        or left out.
    """
    chosen_runs: list[Run] = []
    notices: list[Notice] = []
    for of_system in group(logs, lambda log: system_of(log.row)).values():
        runs = [_join(alike) for alike in _group_slices(of_system)]
        best = _choose(runs)
        chosen_runs.append(best.run)
        notices += _notices(best, runs)
    return chosen_runs, notices


def differences(log: RunRow, other: RunRow) -> list[str]:
    """Name the parameters and inputs that differ between two logs of a system.

    Corpus, arithmetic, prompts and judges are compared only if both logs state them.
    """
    names = dict.fromkeys((*log.parameters, *other.parameters))
    differing = [
        name
        for name in names
        if not _LOCAL_PARAMETERS.fullmatch(name)
        and log.parameters.get(name) != other.parameters.get(name)
    ]
    inputs = _stated_inputs(log)
    other_stated = _stated_inputs(other)
    if log.part != other.part:  # each part has a corpus
        del inputs["corpus"]
    for name, value in inputs.items():
        other_value = other_stated.get(name)
        if value and other_value and value != other_value:
            differing.append(name)
    return differing


def _differences(log: Run, other: Run) -> list[str]:
    """Name what differs between two logs of a system, other than their samples.

    Signatures are compared only if both logs have them. The kind of gold depends on the sample, so
    it is compared only if they share samples.
    """
    differing = differences(log.row, other.row)
    shared_samples = log.questions.keys() & other.questions.keys()
    for scorer, signatures in log.signatures.items():
        other_signatures = other.signatures.get(scorer, signatures)
        if not shared_samples:
            signatures, other_signatures = _methods(signatures), _methods(other_signatures)
        if signatures.isdisjoint(other_signatures):
            differing.append(f"how {scorer} measures")
    changed = sum(log.questions[sample] != other.questions[sample] for sample in shared_samples)
    if changed:
        differing.append(f"the questions of {format_count(changed, 'shared sample')}")
    return differing


def _methods(signatures: Iterable[str]) -> set[str]:
    """Return how a scorer measured, whatever the gold of the samples."""
    return {Signature.parse(text).method for text in signatures}


def _name(log: RunRow) -> str:
    return file_name(log.location)


def _join(logs: Iterable[Run]) -> _JoinedRun:
    """Join the logs of one run, the newest first."""
    used_logs: list[tuple[Run, frozenset[str]]] = []
    replaced: list[RunRow] = []
    newer_samples: frozenset[str] = frozenset()
    for log in logs:
        samples = samples_of(log.row)
        if samples - newer_samples:
            used_logs.append((log, samples - newer_samples))
        else:
            replaced.append(log.row)
        newer_samples |= samples
    return _JoinedRun(_merge(used_logs), used_logs, replaced)


def _merge(logs: Sequence[tuple[Run, frozenset[str]]]) -> Run:
    """Return the samples that count of several logs, the newest first, as one run."""
    if len(logs) == 1:
        return logs[0][0]
    answers: list[AnswerRow] = []
    scores: list[ScoreRow] = []
    verdicts: list[VerdictRow] = []
    for log, samples in reversed(logs):
        answers += [row for row in log.answers if row.id in samples]
        scores += [row for row in log.scores if row.id in samples]
        verdicts += [row for row in log.verdicts if row.id in samples]
    return Run(_merge_rows([log.row for log, _ in logs]), answers, scores, verdicts)


def _merge_rows(logs: Sequence[RunRow]) -> RunRow:
    """Return the row of a run of several logs, the newest first."""
    asked_ids = frozenset(_values_of("asked", logs))
    answered_ids = frozenset(_values_of("answered", logs))
    invalidated_ids = frozenset(_values_of("invalidated", logs))
    unfinished = [log.status for log in logs if log.status != "success"]
    specs: dict[str, Any] = {}
    for log in reversed(logs):
        specs |= log.declared
    return logs[0]._replace(
        logs=tuple(_values_of("logs", logs)),
        measures=tuple(dict.fromkeys(_values_of("measures", logs))),
        declared=specs,
        asked=asked_ids,
        answered=answered_ids,
        planned=len(asked_ids | answered_ids),
        status=unfinished[0] if unfinished and asked_ids - answered_ids else "success",
        samples_at_once=any(log.samples_at_once for log in logs),
        limited=all(log.limited for log in logs),
        invalidated=invalidated_ids - answered_ids,
        impossible="; ".join(filter(None, (log.impossible for log in logs))) or None,
    )


def _values_of(name: str, logs: Iterable[RunRow]) -> Iterator[Any]:
    """Yield the values of a field that is a collection, log by log."""
    for log in logs:
        yield from getattr(log, name)


def _group_slices(logs: Iterable[Run]) -> list[list[Run]]:
    """Group the logs that together make one run, newest first."""
    groups: list[list[Run]] = []
    for log in sorted(logs, key=lambda log: str(log.row.created), reverse=True):
        for alike in groups:
            if not any(_differences(log, other) for other in alike):
                alike.append(log)
                break
        else:
            groups.append([log])
    return groups


def _choose(runs: Sequence[_JoinedRun]) -> _JoinedRun:
    """Return the run that counts for a system."""

    def rank(joined: _JoinedRun) -> tuple[bool, str]:
        return joined.run.row.status == "success", str(joined.run.row.created)

    def epochs(joined: _JoinedRun) -> object:
        return joined.run.row.parameters.get("run.epochs")

    newest = best = max(runs, key=rank)
    for run in sorted(runs, key=rank, reverse=True):
        is_as_finished = rank(run)[0] == rank(newest)[0]
        if is_as_finished and epochs(run) != epochs(best) and run.size > best.size:
            best = run
    return best


def _notices(best: _JoinedRun, runs: Iterable[_JoinedRun]) -> Iterator[Notice]:
    """Yield notices of which logs of a system are joined, and which are left out."""
    if len(best.logs) > 1:
        kind = "parts" if len({log.row.part for log, _ in best.logs}) > 1 else "slices"
        text = f"{best.names} are {kind} of one run with {format_count(best.size, 'sample')}"
        repeated_count = sum(len(samples_of(log.row) - samples) for log, samples in best.logs)
        if repeated_count:
            text += f"; {repeated_count} are in several of them, and the newest counts"
        yield Notice("note", text, best.run.row.location)
    for row in best.replaced:
        text = f"{_name(row)} ({row.status}, {format_count(len(samples_of(row)), 'sample')})"
        yield Notice(
            "note", f"{text} is another run of the same system; {best.counts}", row.location
        )
    for joined in runs:
        if joined is not best:
            names: dict[str, None] = {}
            for log, _ in best.logs:
                names |= dict.fromkeys(_differences(log, joined.run))
            text = f"{joined} is another run of the same system; {best.counts}"
            text += f"; they differ in {join_names(names)}"
            yield Notice("note", text, joined.run.row.location)


def _stated_inputs(log: RunRow) -> dict[str, Any]:
    """Return what a log states about its corpus, its prompts and other inputs, and its judges."""
    made_with: Mapping[str, str] = log.made_with
    inputs: dict[str, Any] = {
        "corpus": log.corpus,
        "arithmetic of the vectors": log.arithmetic,
        "prompts": made_with.get(PROMPTS),
    }
    for name, digest in made_with.items():
        if name == EMBEDDING or name.startswith((FILE, CODE)):
            inputs[name] = digest
    inputs["judges"] = log.graders
    return inputs
