"""Batch the items of concurrent tasks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar, cast

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar, checkpoint

_PASSES = 16
"""Passes of the event loop before a batch, in which tasks that are ready add their items."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _BatchRequest:
    item: Any
    result: Any = None
    error: Exception | None = None
    done: bool = False


@dataclass(slots=True)
class _Queue:
    """Waiting requests of one event loop, in the order of arrival."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    waiting: dict[_BatchRequest, None] = field(default_factory=dict)


class Batcher(Generic[Item, Result]):
    """Process items that arrive together in one call.

    One request processes all waiting items in a worker thread. No timer delays it: a lone item
    starts after some passes of the event loop, within a millisecond if nothing else runs, and while
    a batch runs, the next one collects. Each event loop has its own queue, so a function that may
    not run concurrently needs a lock if several loops use the batcher.

    1. Cancelling a task does not affect the others of its batch.
    2. An error of the function is raised for the items of that batch alone.
    """

    def __init__(self, work: Callable[[list[Item]], Sequence[Result]], *, at_most: int) -> None:
        """Process items with `work`.

        Args:
            work: Processes a batch and returns one result per item, in order; runs in a worker
                thread.
            at_most: Maximum items in a batch.
        """
        self._work = work
        self._at_most = at_most
        self._queue: RunVar[_Queue] = RunVar("arag_inspect_batcher_queue")

    async def submit(self, item: Item) -> Result:
        """Process one item, together with all waiting ones."""
        queue = self._queue.get(None) or _Queue()
        self._queue.set(queue)
        request = _BatchRequest(item)
        queue.waiting[request] = None
        try:
            async with queue.turn:
                if not request.done:
                    for _ in range(_PASSES):
                        await checkpoint()
                    others = (
                        other for other in queue.waiting if not (other is request or other.done)
                    )
                    batch = [request, *islice(others, self._at_most - 1)]
                    await anyio.to_thread.run_sync(self._serve, batch)
        finally:
            del queue.waiting[request]
        if request.error is not None:
            raise request.error
        return cast(Result, request.result)

    def _serve(self, batch: Sequence[_BatchRequest]) -> None:
        """Fill in the results in a worker thread, even if a waiting task is cancelled."""
        try:
            results = self._work([request.item for request in batch])
            for request, result in zip(batch, results, strict=True):
                request.result = result
        except Exception as error:
            for request in batch:
                request.error = error
        for request in batch:
            request.done = True
