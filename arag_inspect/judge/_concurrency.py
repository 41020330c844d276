"""Several calls at once, and the error of one told as it is."""

from collections.abc import Awaitable
from typing import TypeVar

from inspect_ai.util import collect

T = TypeVar("T")


async def collect_all(*tasks: Awaitable[T]) -> list[T]:
    """Inspect's `collect`, but where several fail at once the first error is raised, not a group.

    A group would hide from Inspect, and from whoever reads the log, what went wrong.
    A single call is made as it is, without a span of its own in the log.
    """
    if len(tasks) == 1:
        return [await tasks[0]]
    try:
        return await collect(*tasks)
    except ExceptionGroup as group:
        raise _first(group) from group


def _first(error: Exception) -> Exception:
    return _first(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error
