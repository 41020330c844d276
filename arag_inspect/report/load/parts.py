"""Parts of a task that was run with one log per subject, language or data set."""

from collections.abc import Iterable, Sequence
from itertools import chain

from ..._util.grouping import group
from ..._util.wording import format_count, join_names
from ..labels import MOST_NAMED
from ..rows import RunRow
from .header import benchmark_name
from .systems import system_of, task_of

_DATASET = "dataset"


def mark_parts(logs: Iterable[RunRow]) -> list[RunRow]:
    """Add to each log the part of the task that it covers, if the task was run in parts.

    A task was run in parts, e.g. with one log per subject or language, if some system has several
    logs that differ in a task argument or the data set, and logs of any system with different
    values of it have no sample in common.

    Returns:
        The rows with `part`. The arguments that define parts are removed from the parameters, and
        all parts belong to one benchmark.
    """
    rows: list[RunRow] = []
    for of_task in group(logs, task_of).values():
        names = [name for name in _arguments(of_task) if _is_split_by(name, of_task)]
        marked = [_with_part(log, names) for log in of_task]
        if not any(map(_is_in_parts, group(marked, system_of).values())):
            rows += of_task
        elif _DATASET in names:
            rows += _in_one_benchmark(marked, of_task)
        else:
            rows += marked
    return rows


def samples_of(log: RunRow) -> frozenset[str]:
    """Return the samples that a log has answers to."""
    return frozenset(sample_id for sample_id, _ in log.answered)


def _arguments(logs: Iterable[RunRow]) -> list[str]:
    """Return the names that may define the parts of a task: its arguments and the data set."""
    names = chain.from_iterable(log.arguments for log in logs)
    return [*dict.fromkeys(names), _DATASET]


def _is_split_by(name: str, logs: Iterable[RunRow]) -> bool:
    """Return whether logs with different values of an argument have no sample in common."""
    by_value: dict[str, set[str]] = {}
    for log in logs:
        by_value.setdefault(_value(log, name), set()).update(samples_of(log))
    distinct = set().union(*by_value.values())
    return len(by_value) > 1 and sum(map(len, by_value.values())) == len(distinct)


def _value(log: RunRow, name: str) -> str:
    return str(log.dataset if name == _DATASET else log.parameters.get(name))


def _with_part(log: RunRow, names: Sequence[str]) -> RunRow:
    """Return a log with the name of its part, from the arguments or the data set."""
    arguments = [name for name in names if name != _DATASET]
    part = ", ".join(f"{name}={_value(log, name)}" for name in arguments)
    parameters = {k: v for k, v in log.parameters.items() if k not in arguments}
    dataset = "" if _DATASET in names else log.dataset
    part = part or log.dataset
    return log._replace(part=part, parameters=parameters, dataset=dataset)


def _is_in_parts(logs: Iterable[RunRow]) -> bool:
    """Return whether a system has several parts, not explained by slices of the data set."""
    slices: dict[str, set[str]] = {}
    for log in logs:
        slices.setdefault(log.part, set()).add(log.slice)
    return len(slices) > 1 and len(set(map(frozenset, slices.values()))) == 1


def _in_one_benchmark(marked: Iterable[RunRow], logs: Sequence[RunRow]) -> list[RunRow]:
    """Merge the parts of a task into one benchmark, named after their data sets."""
    datasets = sorted({log.dataset for log in logs})
    is_short = len(datasets) <= MOST_NAMED
    dataset = join_names(datasets) if is_short else format_count(len(datasets), "data set")
    benchmark = benchmark_name(*task_of(logs[0]), dataset)
    return [log._replace(dataset=dataset, benchmark=benchmark) for log in marked]
