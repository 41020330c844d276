"""Run an experiment as a set that can be resumed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import product
from logging import LogRecord, getLogger
from pathlib import Path
from typing import Any, NamedTuple

import fsspec
from anyio.from_thread import start_blocking_portal
from filelock import FileLock, Timeout
from inspect_ai import Task, eval_set
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from inspect_ai.util import DisplayType, LimitExceededError

from .._util.errors import InputError
from .._util.progress import SampleProgress
from .._util.wording import format_count
from ..benchmark.scorers import judged_scorers
from ..judge.panel import default_grader
from ..judge.unscored_counts import plain_lines
from ..models.call_monitor import track_spending, watching
from ..models.pricing import set_prices, warn_of_unknown
from ..models.provider_faults import bare
from ..models.run_watch import Watch
from ..models.spending import LEDGER, Spending
from ..systems.registry import load_system
from .conditions import conditions_of, keep_conditions
from .experiment import Experiment, SystemTask, as_patterns

QUIET: DisplayType = "log"
"""Inspect's display that logs progress and metrics at level `info`."""


_EVAL_SET: dict[str, Any] = {
    "log_dir_allow_dirty": True,  # rejudged logs are in the same folder
    "continue_on_fail": True,
    "retry_on_error": 1,
    "retry_attempts": 0,  # the next call runs the missing samples
    "retry_immediate": False,  # otherwise Inspect warns that nothing will be retried
}
"""Arguments of `eval_set` that its caller may override."""

_SELECTIONS = {"limit", "sample_id", "sample_shuffle"}
"""Arguments of `eval_set` by which a caller selects samples itself."""


class RunResult(NamedTuple):
    """Result of an eval set."""

    logs: list[EvalLog]
    """Logs without samples; empty after an interrupt."""

    complete: bool
    """Whether every system finished with every model; if not, the same call runs the rest."""

    spending: Spending
    """Amount spent, and whether `max_dollars` stopped the run."""

    faults: Sequence[str] = ()
    """A line for each kind of sample failure in this call, with its count."""

    stopped: str | None = None
    """Why no further call could succeed, e.g. a refused API key."""

    earlier_runs: str | None = None
    """Complete runs and samples kept from earlier calls, if any."""

    def __repr__(self) -> str:
        """Return how many runs succeeded, and the amount spent."""
        succeeded_count = sum(log.status == "success" for log in self.logs)
        lines = [
            (
                f"{succeeded_count} of {len(self.logs)} runs succeeded, "
                f"${self.spending.paid:,.2f} spent"
            )
        ]
        return "\n".join([*lines, *self.faults, *filter(None, [self.stopped, self.earlier_runs])])


def run_experiment(
    experiment: Experiment,
    log_dir: str,
    *,
    display: DisplayType | None = QUIET,
    max_dollars: float | None = None,
    expected: Mapping[str, float] | None = None,
) -> RunResult:
    """Run every system with every model, with Inspect's `eval_set`.

    Completed runs in the log folder are kept, if they were made under the same conditions. A sample
    that fails is retried once and then fails alone; the next call runs only missing samples. A
    refused key, account or model, or an invalid input, ends the whole set at once. Paid replies are
    kept in Inspect's cache, for this log folder only, and are not requested again.

    Args:
        experiment: Experiment to run.
        log_dir: Folder used only by this set.
        display: Inspect's display, or None for its default. `log` shows how many samples have
            ended, and only warnings from Inspect.
        max_dollars: Stop before the cost exceeds this.
        expected: Estimated maximum cost of a call in dollars, by model.

    Raises:
        InputError: The task is unknown, a parameter is unknown, the grader lacks its key, the
            file of prices is unreadable, another run uses the folder, or its answers were made
            under other conditions.
    """
    set_prices(experiment.eval_options.get("model_cost_config"))
    system_tasks = experiment.system_tasks()
    tasks = [system_task.task for system_task in system_tasks]
    conditions = conditions_of(experiment.task, system_tasks)
    warn_of_unknown(map(get_model, (*experiment.models, *experiment.graders)))
    if not experiment.graders:
        _check_default_graders(tasks, experiment.models)
    with _lock_folder(log_dir):
        keep_conditions(log_dir, experiment.task, conditions)
        arguments = {"log_dir": log_dir, "display": display}
        arguments |= _eval_arguments(experiment, tasks[0])
        folder = _local(log_dir)
        ledger = None if folder is None else folder / LEDGER
        reuse = arguments.get("cache") is None
        spending = Spending(max_dollars, expected or {}, ledger, reuse=reuse)
        if len(system_tasks) > 1:
            _load_searched(system_tasks)
        complete, logs, watch = _run_watched(tasks, arguments, spending)
    finished_count = sum(log.status == "success" for log in logs)
    complete = complete and finished_count == len(tasks) * len(set(experiment.models))
    _count_failed_runs(logs, watch)
    earlier_runs = _describe_earlier_runs(logs, watch.ran)
    return RunResult(logs, complete, spending, watch.lines(), watch.reason, earlier_runs)


def _eval_arguments(experiment: Experiment, task: Task) -> dict[str, Any]:
    """Return the arguments of `eval_set` that an experiment decides.

    Args:
        experiment: The experiment.
        task: One of its tasks, from which samples are drawn.
    """
    arguments = {
        **_EVAL_SET,
        "model": list(experiment.models),
        "epochs": experiment.epochs,
        **experiment.eval_options,
    }
    drawn_ids = experiment.draw(task)
    if len(drawn_ids) < len(task.dataset) and not _SELECTIONS & arguments.keys():
        arguments["sample_id"] = as_patterns(drawn_ids)
    roles = {"grader": list(experiment.graders)} if experiment.graders else {}
    arguments["model_roles"] = {**roles, **(arguments.get("model_roles") or {})} or None
    return arguments


def _describe_earlier_runs(logs: Sequence[EvalLog], ran: Mapping[str, int]) -> str | None:
    """Describe the complete runs and finished samples kept from earlier calls.

    Args:
        logs: Logs of a set.
        ran: Samples that ended in this call, by `eval_id`.

    Returns:
        A line; None if everything ran.
    """
    kept_runs = 0
    kept_samples = 0
    for log in logs:
        if log.status == "success" and log.results is not None:
            if log.eval.eval_id in ran:
                kept_samples += max(0, log.results.total_samples - ran[log.eval.eval_id])
            else:
                kept_runs += 1
    return describe_kept_work(kept_runs, kept_samples, len(logs))


def describe_kept_work(kept_runs: int, kept_samples: int, all_runs: int) -> str | None:
    """Describe how many complete runs and finished samples were kept; None without any."""
    parts = []
    if kept_runs:
        parts.append(format_count(kept_runs, "complete run"))
    if kept_samples:
        parts.append(format_count(kept_samples, "finished sample"))
    if not parts:
        return None
    start = "Nothing ran; kept" if kept_runs == all_runs else "Kept"
    return f"{start} {' and '.join(parts)}: to repeat them, use a new --log-dir"


def _check_default_graders(tasks: list[Task], models: Sequence[str]) -> None:
    """Raise if a judged scorer needs a grader that cannot be used.

    Raises:
        InputError: The default grader of a model lacks its key.
    """
    judged = judged_scorers(tasks)
    if judged:
        for model in models:
            default_grader(model, judged)


@contextmanager
def _lock_folder(log_dir: str) -> Iterator[None]:
    """Lock a log folder against other runs; remote folders cannot be locked."""
    path = _local(log_dir)
    if path is None:
        yield
        return
    path.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(path / ".lock").acquire(timeout=0)
    except Timeout:
        raise InputError(
            f"another run uses {log_dir}; wait for it to finish, or use another --log-dir"
        ) from None
    with lock:
        yield


def _local(log_dir: str) -> Path | None:
    """Return the path of a folder on this machine; None for a remote one."""
    files, path = fsspec.core.url_to_fs(log_dir)
    return Path(path) if "file" in files.protocol else None


def _load_searched(system_tasks: Sequence[SystemTask]) -> None:
    """Load the systems' models and indices before timing them, as they run at the same time."""
    dataset = system_tasks[0].task.dataset
    corpora = {(sample.metadata or {}).get("corpus") for sample in dataset}
    with start_blocking_portal() as portal:
        for (system, parameters, _), corpus in product(system_tasks, filter(None, corpora)):
            with suppress(InputError):  # the samples report it
                portal.call(load_system, system, parameters.get("system_args") or {}, corpus)


def _run_watched(
    tasks: list[Task], arguments: Mapping[str, Any], spending: Spending
) -> tuple[bool, list[EvalLog], Watch]:
    """Run an eval set, tracking costs and failures; returns no logs after an interrupt."""
    is_quiet = arguments["display"] == QUIET
    sample_progress = SampleProgress("Samples ended") if is_quiet else nullcontext()
    with (
        sample_progress as progress,
        track_spending(spending),
        watching(progress=progress) as watch,
        _quiet_about_samples(),
        plain_lines() if is_quiet else nullcontext(),
    ):
        try:
            complete, logs = eval_set(tasks, **arguments)
        except (KeyboardInterrupt, LimitExceededError):  # `run_watch` raises the second
            complete = False
            logs = []
    return complete, logs, watch


@contextmanager
def _quiet_about_samples() -> Iterator[None]:
    """Suppress Inspect's messages about single samples, which are counted by kind."""

    def is_other(record: LogRecord) -> bool:
        return not record.getMessage().startswith("Sample error (id:")

    logger = getLogger("inspect_ai._eval.task.run")
    logger.addFilter(is_other)
    try:
        yield
    finally:
        logger.removeFilter(is_other)


def _count_failed_runs(logs: Sequence[EvalLog], watch: Watch) -> None:
    """Count each run that failed as a whole, by its reason."""
    for log in logs:
        if log.error is not None:
            watch.count("runs failed", bare(log.error.message))
