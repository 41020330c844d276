"""Tests of shared batches: grouping of items, errors and cancelled tasks."""

import threading
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from arag_inspect._util.batching import Batcher
from tests.handshake import Handshake


class Doubling:
    """Doubles numbers, optionally waiting for the event loop; records its batches."""

    def __init__(self, *, waits: bool = False) -> None:
        self.batches: list[list[int]] = []
        self.threads: set[int] = set()
        self.handshake = Handshake()
        if not waits:
            self.handshake.answer()

    def __call__(self, items: list[int]) -> list[int]:
        self.batches.append(list(items))
        self.threads.add(threading.get_ident())
        self.handshake.wait_for_loop()
        if 13 in items:
            raise LookupError("unlucky")
        return [2 * item for item in items]


async def together(*calls: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async with anyio.create_task_group() as group:
        for call in calls:
            group.start_soon(call)


async def submit_all(batcher: Batcher[int, int], items: range) -> dict[int, int | str]:
    """Return the result or the error of each item."""
    results: dict[int, int | str] = {}

    async def submit(item: int) -> None:
        try:
            results[item] = await batcher.submit(item)
        except LookupError as error:
            results[item] = str(error)

    async with anyio.create_task_group() as group:
        for item in items:
            group.start_soon(submit, item)
    return results


def test_batcher_groups_concurrent_items_into_shared_batches() -> None:
    work = Doubling(waits=True)
    results: dict[int, int | str] = {}

    async def submit() -> None:
        results.update(await submit_all(Batcher(work, at_most=100), range(100, 140)))

    anyio.run(together, submit, work.handshake.meet)
    assert results == {item: 2 * item for item in range(100, 140)}
    assert len(work.batches) <= 2 and sum(map(len, work.batches)) == 40
    assert threading.get_ident() not in work.threads


def test_batcher_splits_items_into_batches_of_maximum_size() -> None:
    work = Doubling()
    results = anyio.run(submit_all, Batcher(work, at_most=7), range(100, 120))
    assert results == {item: 2 * item for item in range(100, 120)}
    assert [len(batch) for batch in work.batches] == [7, 7, 6]
    assert [item for batch in work.batches for item in batch] == list(
        range(100, 120)
    )  # in order of arrival


@pytest.mark.parametrize("steps", [1, 8])
def test_batcher_groups_items_submitted_few_steps_apart(steps: int) -> None:
    work = Doubling()
    batcher = Batcher(work, at_most=100)

    async def submit(item: int) -> None:
        for _ in range(item % (steps + 1)):
            await anyio.lowlevel.checkpoint()
        await batcher.submit(item)

    async def submit_all_late() -> None:
        async with anyio.create_task_group() as group:
            for item in range(100, 140):
                group.start_soon(submit, item)

    anyio.run(submit_all_late)
    assert len(work.batches) == 1 and sorted(work.batches[0]) == list(range(100, 140))


def test_batcher_runs_single_item_without_waiting_for_more() -> None:
    work = Doubling()
    batcher = Batcher(work, at_most=7)
    assert anyio.run(batcher.submit, 4) == 8 and work.batches == [[4]]


def test_batch_error_reaches_only_items_of_same_batch() -> None:
    work = Doubling()
    results = anyio.run(submit_all, Batcher(work, at_most=5), range(5, 20))
    unlucky = next(batch for batch in work.batches if 13 in batch)
    assert len(unlucky) == 5
    assert results == {item: "unlucky" if item in unlucky else 2 * item for item in range(5, 20)}


def test_batcher_raises_when_number_of_results_is_wrong() -> None:
    batcher: Batcher[int, int] = Batcher(lambda items: [*items, 0], at_most=5)
    with pytest.raises(ValueError, match="longer"):
        anyio.run(batcher.submit, 1)


def test_batcher_skips_item_cancelled_while_queued() -> None:
    work = Doubling(waits=True)
    batcher = Batcher(work, at_most=1)
    results: list[int] = []

    async def main() -> None:
        scope = anyio.CancelScope()

        async def leave() -> None:
            with scope:
                await batcher.submit(2)
            work.handshake.answer()

        async def stay(item: int) -> None:
            results.append(await batcher.submit(item))

        async def cancel() -> None:
            await work.handshake.begun()
            scope.cancel()

        await together(lambda: stay(1), leave, lambda: stay(3), cancel)

    anyio.run(main)
    assert sorted(results) == [2, 6] and work.batches == [[1], [3]]


@pytest.mark.parametrize("at_work", [False, True])
def test_batcher_serves_other_items_when_first_submitter_is_cancelled(at_work: bool) -> None:
    work = Doubling(waits=True)
    batcher = Batcher(work, at_most=10)
    results: list[int] = []

    async def main() -> None:
        scope = anyio.CancelScope()

        async def leave() -> None:
            with scope:
                await batcher.submit(1)

        async def stay(item: int) -> None:
            results.append(await batcher.submit(item))

        async def cancel() -> None:
            if at_work:
                await work.handshake.begun()
            scope.cancel()
            work.handshake.answer()

        await together(leave, lambda: stay(2), lambda: stay(3), cancel)

    anyio.run(main)
    assert sorted(results) == [4, 6]
    assert sorted(item for batch in work.batches for item in batch if item != 1) == [2, 3]


def test_batcher_keeps_event_loops_independent() -> None:
    work = Doubling()
    batcher = Batcher(work, at_most=100)
    results: list[dict[int, int | str]] = []
    threads = [
        threading.Thread(
            target=lambda start=start: results.append(
                anyio.run(submit_all, batcher, range(start, start + 10))
            )
        )
        for start in (100, 200, 300)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=100)
    assert sorted(min(part) for part in results) == [100, 200, 300]
    assert all(result == 2 * item for part in results for item, result in part.items())
    assert all(max(batch) - min(batch) < 10 for batch in work.batches)
    assert len(anyio.run(submit_all, batcher, range(400, 410))) == 10  # and a later one still works


def test_batcher_does_not_block_event_loop() -> None:
    work = Doubling(waits=True)

    async def submit() -> None:
        assert await Batcher(work, at_most=5).submit(1) == 2

    anyio.run(together, submit, work.handshake.meet)
    assert work.batches == [[1]]
