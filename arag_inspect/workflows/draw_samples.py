"""Draw a part of a task's samples."""

from collections.abc import Sequence
from glob import escape
from hashlib import sha256

from inspect_ai import Task

from ..types.sample import group_of

SEED = 42


def draw_samples(task: Task, limit: int | None, seed: int = SEED) -> list[str | int]:
    """Draw samples that are spread over the companies (else documents), in the order of the data.

    Each company gives one sample before any gives a second. The draw depends on seed and ids
    alone, and a larger one contains every smaller one of its seed.

    Args:
        task: Its data set is drawn from.
        limit: Number of samples; None for all.
        seed: Another seed draws other samples.
    """
    ids = [sample.id for sample in task.dataset if sample.id is not None]
    if limit is None or limit >= len(ids):
        return ids
    groups: dict[str, list[str | int]] = {}
    for sample in task.dataset:
        if sample.id is not None:
            group = group_of(sample.metadata or {}) or f"sample {sample.id}"
            groups.setdefault(group, []).append(sample.id)

    def place(name: object) -> str:
        return sha256(f"{seed} {name}".encode()).hexdigest()

    turns = {
        sample_id: (turn, place(group))
        for group, members in groups.items()
        for turn, sample_id in enumerate(sorted(members, key=place))
    }
    drawn = set(sorted(turns, key=turns.__getitem__)[:limit])
    return [sample_id for sample_id in ids if sample_id in drawn]


def as_patterns(ids: Sequence[str | int]) -> list[str | int]:
    """Return ids as Inspect's `sample_id` matches them: as patterns of file names."""
    return [escape(sample_id) if isinstance(sample_id, str) else sample_id for sample_id in ids]
