"""Stop a run before it exceeds a spending limit."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import anyio
from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, ModelUsageData, hooks
from inspect_ai.model import compute_model_cost, get_model_info

_PATIENCE = 5.0
"""Seconds from one interrupt to the next."""


class Spending:
    """Dollars of all calls of a process, at list price."""

    def __init__(self, most: float | None) -> None:
        self.most = most
        self.spent = 0.0
        self.stopped = False
        self._open = 0
        self._dearest = 0.0
        self._pressed = -_PATIENCE

    async def begin(self) -> None:
        """Count a call before it is made; stop the run if it could exceed the limit."""
        self._open += 1
        if self.most is not None and self.spent + self._open * self._dearest > self.most:
            self.stopped = True
        while self.stopped:  # until this task is cancelled; a single interrupt can be lost
            if perf_counter() - self._pressed > _PATIENCE:
                self._pressed = perf_counter()
                signal.raise_signal(signal.SIGINT)  # like Ctrl-C: Inspect keeps completed samples
            await anyio.sleep(0.1)

    def retry(self) -> None:
        """Uncount a failed call; the next attempt is counted again."""
        self._open = max(0, self._open - 1)

    def end(self, cost: float) -> None:
        """Add the cost of a call."""
        self._open = max(0, self._open - 1)
        self.spent += cost
        self._dearest = max(self._dearest, cost)


_now: list[Spending] = []


@contextmanager
def at_most(most: float | None) -> Iterator[Spending]:
    """Count spending in the block, and interrupt the run before it exceeds the limit.

    Args:
        most: Dollars; None for no limit.
    """
    spending = Spending(most)
    _now.append(spending)
    ignored = most is not None and signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored:  # a background job of a shell
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield spending
    finally:
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _now.remove(spending)


@hooks("arag_inspect/max_dollars", "Stops a run before it spends more than --max-dollars.")
class _MaxDollars(Hooks):
    """Counts calls before and after they are made."""

    def enabled(self) -> bool:
        """Active only inside `at_most`."""
        return bool(_now)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Count a call that begins."""
        await _now[-1].begin()

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Count an attempt that failed."""
        _now[-1].retry()

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Count what a call cost."""
        info = get_model_info(data.model_name)
        cost = compute_model_cost(info.cost, data.usage) if info and info.cost else 0.0
        _now[-1].end(cost)
