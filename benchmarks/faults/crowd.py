"""128 samples at once over a large corpus: whether searches stay right, and the event loop free."""

import asyncio
import gc
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.corpus import Corpus
from arag_inspect.solvers import arag

from ..loop import Script, evaluate
from ..material import build_large, documents, keyword_queries, pieces, questions
from ..measure import memory_of_process
from .row import Row

_AT_ONCE = 128
_BY_MEANING = 16
"""One search in so many is by meaning."""

_LONGEST = 0.1
"""Seconds that the event loop may stand still while only searches run."""

_MORE_MIB = 32.0
"""Memory that later searches may add."""

_STEP = 0.01


def crowd(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Search and evaluate 128 at once; a search is wrong where its result is not that alone."""
    chunks, searches = (400, 1_024) if quick else (40_000, 20_480)
    build_large(folder / "corpus", chunks)
    corpus = Corpus.open(folder / "corpus")
    calls = documents(40)
    asked: list[list[str] | str] = [*keyword_queries(pieces(80), 120), *questions(8, calls)]
    watch = _Watch()
    right, first, grown = asyncio.run(_search(corpus, asked, searches, watch))
    for one in right:
        row.count(wrong=not one)
    row.count(wrong=watch.longest > _LONGEST)
    row.count(wrong=grown > _MORE_MIB)
    stalled, watch = watch.longest, _Watch()
    samples = 32 if quick else _AT_ONCE
    evaluate(
        _watched(arag(), watch),
        Script(samples, calls, len(corpus)),
        samples,
        corpus,
        str(folder / "logs"),
        at_once=_AT_ONCE,
    )
    row.note = (
        f"{len(corpus):,} chunks; the loop stood still for {1000 * stalled:.0f} ms at most while searching, "
        f"memory grew by {grown:.0f} MiB from {first:,.0f}; in {samples} whole samples of A-RAG it stood still for "
        f"{1000 * watch.longest:.0f} ms at most, of which in this package {1000 * watch.ours:.0f} ms"
    )


async def _search(
    corpus: Corpus, asked: list[list[str] | str], searches: int, watch: "_Watch"
) -> tuple[list[bool], float, float]:
    """Search with 128 at once.

    Returns:
        Whether each search found what it finds alone; memory in MiB after a tenth of the
        searches; and how much the others added.
    """
    alone = {str(query): await _found(corpus, query) for query in asked}
    words = [query for query in asked if not isinstance(query, str)]
    meanings = [query for query in asked if isinstance(query, str)]
    queries = cycle(
        meanings[number // _BY_MEANING % len(meanings)]
        if number % _BY_MEANING == 0
        else words[number % len(words)]
        for number in range(len(words) * _BY_MEANING)
    )
    right: list[bool] = []
    memory = []
    for part in (searches // 10, searches - searches // 10):
        waiting = iter(list(islice(queries, part)))

        async def agent(waiting: Iterator[list[str] | str] = waiting) -> None:
            for query in waiting:
                right.append(_same(query, await _found(corpus, query), alone[str(query)]))

        with watch.watching():
            async with asyncio.TaskGroup() as agents:
                for _ in range(_AT_ONCE):
                    agents.create_task(agent())
        memory.append(memory_of_process("RssAnon") or 0.0)
    return right, memory[0], memory[1] - memory[0]


def _same(query: list[str] | str, found: list[int], alone: list[int]) -> bool:
    """Whether two results agree; by meaning in three of five, as the last bits depend on the batch."""
    return len(set(found) & set(alone)) >= 3 if isinstance(query, str) else found == alone


async def _found(corpus: Corpus, query: list[str] | str) -> list[int]:
    if isinstance(query, str):
        hits = await corpus.semantic_search(query, 5)
    else:
        hits = await corpus.keyword_search(query, 5)
    return [hit.chunk_id for hit in hits]


@solver
def _watched(inner: Solver, watch: "_Watch") -> Solver:
    """Watch the event loop from the first sample to the end of the evaluation."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        watch.begin()
        return await inner(state, generate)

    return solve


class _Watch:
    """Measures how long the event loop stands still, and in whose code."""

    def __init__(self) -> None:
        self.longest = self.ours = 0.0
        """Longest times in s: of all, and in code that this package called last."""

        self._ticked = time.perf_counter()
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the running loop within the context."""
        self.begin()
        try:
            yield
        finally:
            assert self._task is not None
            self._task.cancel()
            self._task = None

    def begin(self) -> None:
        """Watch the running loop until it ends; a second call does nothing."""
        if self._task is None:
            self._ticked = time.perf_counter()
            self._task = asyncio.get_running_loop().create_task(self._tick())
            watcher = threading.Thread(target=self._watch, args=(threading.get_ident(), self._task))
            watcher.daemon = True
            watcher.start()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_STEP)
            now = time.perf_counter()
            self.longest = max(self.longest, now - self._ticked - _STEP)
            self._ticked = now

    def _watch(self, thread: int, task: "asyncio.Task[None]") -> None:
        """Look at what the thread of the loop does, each hundredth of a second in which it is late."""
        ticked, seen = self._ticked, 0.0
        while not task.done():
            before = time.perf_counter()
            time.sleep(_STEP)
            if ticked != self._ticked:
                ticked, seen = self._ticked, 0.0
            elif before - ticked > 2 * _STEP and _package(thread) == "arag_inspect":
                seen += time.perf_counter() - before
                self.ours = max(self.ours, seen)


def _package(thread: int) -> str:
    """Return which of the two packages called last what a thread is doing."""
    gc.disable()  # a collection within the next call would wait for itself for ever (gh-106883)
    try:
        frame = sys._current_frames().get(thread)
    finally:
        gc.enable()
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in ("arag_inspect", "inspect_ai"):
            return package
        frame = frame.f_back
    return ""
