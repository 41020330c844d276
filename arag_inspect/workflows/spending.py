"""Stops a run before it spends more than it may."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, ModelUsageData, hooks
from inspect_ai.model import compute_model_cost, get_model_info


class Spending:
    """Dollars of all calls of a process, at list price."""

    def __init__(self, most: float | None) -> None:
        self.most = most
        self.spent = 0.0
        self.stopped = False
        self._open = 0
        self._dearest = 0.0

    def begin(self) -> None:
        """Count a call that is about to be made, and stop the run where it could exceed the sum."""
        self._open += 1
        if self.most is None or self.stopped:
            return
        if self.spent + self._open * self._dearest > self.most:
            self.stopped = True
            signal.raise_signal(signal.SIGINT)  # as Ctrl-C: Inspect keeps what is done

    def retry(self) -> None:
        """Forget a call that failed; the next attempt is counted again."""
        self._open = max(0, self._open - 1)

    def end(self, cost: float) -> None:
        """Count what a call cost."""
        self._open = max(0, self._open - 1)
        self.spent += cost
        self._dearest = max(self._dearest, cost)


_now: list[Spending] = []


@contextmanager
def at_most(most: float | None) -> Iterator[Spending]:
    """Count what is spent meanwhile, and interrupt the run before it is more.

    Args:
        most: Dollars; None for no limit.
    """
    spending = Spending(most)
    _now.append(spending)
    try:
        yield spending
    finally:
        _now.remove(spending)


@hooks("arag_inspect/max_dollars", "Stops a run before it spends more than --max-dollars.")
class _MaxDollars(Hooks):
    """Asks before each call, counts after it."""

    def enabled(self) -> bool:
        """Only inside `at_most`."""
        return bool(_now)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Count a call that begins."""
        _now[-1].begin()

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Count an attempt that failed."""
        _now[-1].retry()

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Count what a call cost."""
        info = get_model_info(data.model_name)
        cost = compute_model_cost(info.cost, data.usage) if info and info.cost else 0.0
        _now[-1].end(cost)
