"""Run an experiment on a Ray cluster."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai import Task
from inspect_ai.log import (
    EvalLog,
    EvalStats,
    list_eval_logs,
    read_eval_log,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.model import ModelUsage

from .._util.cluster import ray_cluster
from .._util.errors import InputError, echo, one_line, resume_error
from .._util.names import short_name
from .._util.progress import bar
from ..corpus import datasets_folder
from .conditions import conditions_of, keep_conditions
from .experiment import Experiment, as_patterns
from .run_experiment import describe_kept_work, run_experiment

_RETRIES = 5
"""Restarts of a shard whose worker is lost."""

_COMPLETING = 2.0
"""Seconds that interrupted shards have to complete."""

_SECONDS = 30.0
"""Further seconds within which all shards must end."""


class Shard(NamedTuple):
    """Some samples of one system and model, which one worker runs."""

    experiment: Experiment
    log_dir: str


def run_on_cluster(
    experiment: Experiment,
    log_dir: str,
    *,
    shards: int = 1,
    address: str | None = None,
) -> list[str]:
    """Run every system with every model, each shard on a separate worker.

    A shard is an eval set of Inspect in `LOG_DIR.shards/NAME/NUMBER`, with all samples of its
    documents; `max_connections` is divided among the shards. When all shards of a system and
    model are done, they are merged into `LOG_DIR/NAME.eval`. Completed work is not repeated, so
    the same call resumes an interrupted run. A lost worker is replaced, and its shard resumes
    from its own log.

    Args:
        experiment: Experiment to run.
        log_dir: Folder that every node can reach, or address.
        shards: Parts of each task's samples, split by document.
        address: The cluster; None starts Ray on this machine.

    Returns:
        Locations of the merged logs.

    Raises:
        InputError: See `run_experiment`; or there is no cluster, the run was interrupted, or shards
            failed, which are named (the others are kept).
    """
    folder = log_dir.rstrip("/") if "://" in log_dir else str(Path(log_dir).absolute())
    shards_by_run: dict[str, list[Shard]] = {}
    system_tasks = experiment.system_tasks()
    keep_conditions(folder, experiment.task, conditions_of(experiment.task, system_tasks))
    eval_options = _share_connections(experiment.eval_options, shards)
    for system, parameters, system_task in system_tasks:
        parts = _split_samples(system_task, shards, experiment.draw(system_task))
        for model in experiment.models:
            run = replace(
                experiment,
                systems=[system],
                models=[model],
                limit=None,
                parameters=parameters,
                eval_options=eval_options,
            )
            name = _name_run(run, parts)
            shards_by_run[name] = _shards(run, parts, f"{folder}.shards/{name}")
    locations = {name: f"{folder}/{name}.eval" for name in shards_by_run}
    missing = [name for name in shards_by_run if not _is_complete(locations[name])]
    planned = [*chain.from_iterable(shards_by_run[name] for name in missing)]
    failed = _run(planned, address) if planned else {}
    for name in missing:
        shard_folders = [shard.log_dir for shard in shards_by_run[name]]
        if not any(path in failed for path in shard_folders):
            write_eval_log(_merge_logs([_log(path) for path in shard_folders]), locations[name])
    if failed:
        raise _shards_failed(failed, len(planned))
    _print_kept(len(locations) - len(missing), len(locations))
    return [*locations.values()]


def run_shard(shard: Shard, folders: tuple[str, str]) -> str:
    """Run a shard in a worker.

    Args:
        shard: The shard.
        folders: Working folder and datasets folder of the driver.

    Returns:
        Reason for the failure; empty on success.
    """
    os.environ.setdefault("ARAG_DATASETS", folders[1])
    if Path(folders[0]).is_dir():
        os.chdir(folders[0])
    try:
        result = run_experiment(shard.experiment, shard.log_dir, display="none")
    except InputError as error:
        return str(error)
    if result.complete:
        return ""
    return result.stopped or next(iter(result.faults), "it did not complete")


def _split_samples(task: Task, shards: int, ids: Sequence[str | int]) -> list[list[str]]:
    """Split the ids of the samples among shards of about equal size, by document."""
    shard_ids = set(ids)
    groups: dict[str, list[str]] = {}
    for sample in task.dataset:
        if sample.id in shard_ids:
            documents = (sample.metadata or {}).get("doc_ids") or [str(sample.id)]
            groups.setdefault(json.dumps(documents), []).append(str(sample.id))
    parts: list[list[str]] = [[] for _ in range(min(shards, len(groups)))]
    for group in sorted(groups.values(), key=len, reverse=True):
        min(parts, key=len).extend(group)
    return parts


def _share_connections(eval_options: Mapping[str, Any], shards: int) -> dict[str, Any]:
    """Return the options of each shard, whose connections are a part of all."""
    options = dict(eval_options)
    if options.get("max_connections"):
        options["max_connections"] = max(1, options["max_connections"] // shards)
    return options


def _name_run(run: Experiment, parts: Sequence[Sequence[str]]) -> str:
    """Return a run's name: its system, its model and a digest of all that it depends on."""
    (system,), (model,) = run.systems, run.models
    settings = {
        "task": run.task,
        "systems": [system],
        "models": [model],
        "graders": list(run.graders),
        "epochs": run.epochs,
        "parameters": run.parameters,
    }
    key = sha256(json.dumps([settings, parts, run.eval_options], default=str).encode()).hexdigest()
    return f"{short_name(run.task)}_{system}_{model.replace('/', '-')}_{key[:12]}"


def _shards(run: Experiment, parts: Sequence[Sequence[str]], folder: str) -> list[Shard]:
    """Return the shards of a run: its parts, each with a log folder."""
    shards = []
    for number, ids in enumerate(parts):
        eval_options = {**run.eval_options, "sample_id": as_patterns(ids)}
        shards.append(Shard(replace(run, eval_options=eval_options), f"{folder}/{number}"))
    return shards


def _is_complete(location: str) -> bool:
    try:
        return read_eval_log(location, header_only=True).status == "success"
    except Exception:  # it is not there, or was cut off
        return False


def _run(planned: Sequence[Shard], address: str | None) -> dict[str, str]:
    """Run shards on the cluster; return the reasons of failures by log folder.

    Raises:
        InputError: Ctrl-C was pressed; the shards still at work are ended.
    """
    failed = {}
    folders = (str(Path.cwd()), str(datasets_folder()))
    with ray_cluster(address) as ray, bar("Shards")(len(planned)) as advance:
        work = ray.remote(num_cpus=1, max_retries=_RETRIES)(run_shard)
        shards_by_task = {work.remote(shard, folders): shard.log_dir for shard in planned}
        try:
            while shards_by_task:
                (ready,), _ = ray.wait(list(shards_by_task))
                shard = shards_by_task.pop(ready)
                try:
                    failure = ray.get(ready)
                except Exception as error:  # of the worker, of any kind
                    failure = one_line(error)[:200]
                if failure:
                    failed[shard] = failure
                advance()
        except KeyboardInterrupt:
            _cancel(ray, [*shards_by_task])
            raise resume_error("interrupted") from None
    return failed


def _cancel(ray: Any, shards: list[Any]) -> None:
    """End running shards, after a short time in which they may complete.

    Ray ends this process if a shard completes at the moment it is cancelled.
    """
    if shards:
        _, unfinished = ray.wait(shards, num_returns=len(shards), timeout=_COMPLETING)
        for shard in unfinished:
            ray.cancel(shard, force=True)
        ray.wait(shards, num_returns=len(shards), timeout=_SECONDS)


def _merge_logs(shards: Sequence[EvalLog]) -> EvalLog:
    """Merge complete logs of disjoint samples of one task.

    Inspect recomputes metrics from the samples' scores; usage is summed, and the time runs from
    the first start to the last end.
    """
    merged = shards[0].model_copy(deep=True)
    samples = [*chain.from_iterable(shard.samples or [] for shard in shards)]
    merged.samples = samples
    merged.eval.dataset.sample_ids = list(dict.fromkeys(sample.id for sample in samples))
    merged.eval.config.sample_id = None
    merged.stats = EvalStats(
        started_at=min(shard.stats.started_at for shard in shards),
        completed_at=max(shard.stats.completed_at for shard in shards),
        model_usage=_sum_usage([shard.stats.model_usage for shard in shards]),
        role_usage=_sum_usage([shard.stats.role_usage for shard in shards]),
    )
    if merged.results is not None:
        merged.results.logged_samples = len(samples)
    recompute_metrics(merged)
    return merged


def _sum_usage(parts: Sequence[Mapping[str, ModelUsage]]) -> dict[str, ModelUsage]:
    total: dict[str, ModelUsage] = {}
    for part in parts:
        for name, usage in part.items():
            total[name] = total[name] + usage if name in total else usage
    return total


def _log(log_dir: str) -> EvalLog:
    """Return the newest complete log of a shard."""
    for info in list_eval_logs(log_dir):
        if _is_complete(info.name):
            return read_eval_log(info)
    raise InputError(f"shard {log_dir} has no complete log")


def _shards_failed(failed: Mapping[str, str], count: int) -> InputError:
    reasons = "; ".join(f"{shard}: {failure}" for shard, failure in failed.items())
    return resume_error(f"{len(failed)} of {count} shards failed ({reasons})")


def _print_kept(kept_runs: int, all_runs: int) -> None:
    """Print how many complete runs were kept from earlier calls, if any."""
    line = describe_kept_work(kept_runs, 0, all_runs)
    if line is not None:
        echo(line)
