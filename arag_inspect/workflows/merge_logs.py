"""Merge the shards of an evaluation into one Inspect log."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from inspect_ai.log import EvalLog, EvalStats, recompute_metrics, write_eval_log
from inspect_ai.model import ModelUsage

from .._util.errors import InputError


def merge_logs(shards: Sequence[EvalLog]) -> EvalLog:
    """Merge complete logs of disjoint samples of one task.

    Metrics are computed again by Inspect from the samples' scores; usage is added up, and the
    time runs from the first start to the last end.

    Args:
        shards: Logs with their samples.

    Raises:
        InputError: A sample is in two shards.
    """
    merged = shards[0].model_copy(deep=True)
    samples = [sample for shard in shards for sample in shard.samples or []]
    if len({(sample.id, sample.epoch) for sample in samples}) < len(samples):
        raise InputError("a sample is in two shards; delete the shards and run them again")
    ids = list(dict.fromkeys(sample.id for sample in samples))
    merged.samples = samples
    merged.eval.dataset.sample_ids = ids
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


def write_merged(log: EvalLog, location: str) -> None:
    """Write a merged log; a local one appears whole."""
    if "://" in location:
        write_eval_log(log, location)
        return
    path = Path(location)
    unfinished = path.with_name(f".{path.name}.eval")
    write_eval_log(log, str(unfinished))
    unfinished.replace(path)


def _sum_usage(parts: Sequence[Mapping[str, ModelUsage]]) -> dict[str, ModelUsage]:
    """Add up the usage of each model or role."""
    total: dict[str, ModelUsage] = {}
    for part in parts:
        for name, usage in part.items():
            total[name] = total[name] + usage if name in total else usage
    return total
