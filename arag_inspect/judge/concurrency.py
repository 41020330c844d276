"""Judge calls made concurrently."""

from collections.abc import Awaitable
from typing import TypeVar

from inspect_ai.util import collect

from ..models.request_key import asking_together

T = TypeVar("T")


async def collect_all(*tasks: Awaitable[T]) -> list[T]:
    """Run coroutines concurrently; raise the first error unwrapped.

    An exception group would hide the cause from Inspect and the log. A single call gets no span in
    the log.
    """
    if len(tasks) == 1:
        return [await tasks[0]]
    try:
        placed_tasks = [_run_at_position(task, position) for position, task in enumerate(tasks, 1)]
        return await collect(*placed_tasks)
    except ExceptionGroup as group:
        raise group.exceptions[0] from group


async def _run_at_position(task: Awaitable[T], position: int) -> T:
    with asking_together(position):
        return await task
