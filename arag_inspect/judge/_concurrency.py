"""Concurrent calls whose first error is raised unwrapped."""

from collections.abc import Awaitable
from typing import TypeVar

from inspect_ai.util import collect

T = TypeVar("T")


async def collect_all(*tasks: Awaitable[T]) -> list[T]:
    """Run coroutines concurrently; raise the first error unwrapped.

    An exception group would hide the cause from Inspect and the log. A single
    call gets no span in the log.
    """
    if len(tasks) == 1:
        return [await tasks[0]]
    try:
        return await collect(*tasks)
    except ExceptionGroup as group:
        raise _first(group) from group


def _first(error: Exception) -> Exception:
    return _first(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error
