"""Follow the model calls of a run, to count their costs and to stop a run that cannot succeed.

A call of `call.call_model` goes through these steps:

1. `reply_cache.with_cache`: a question of this set of runs that was answered before is answered
   from Inspect's cache, and `reply_cache.one_at_a_time` lets one of several equal questions
   through.
2. `calling`: `Spending` and `Watch` know the call from here until it ends.
3. `Spending.begin`: before each attempt it waits until the call cannot exceed the limit.
4. The provider is asked; Inspect repeats transient faults (`Watch.note_failure`).
5. `Spending.pay`: the call is priced and added to the ledger.
6. `provider_faults.call_error`: an error is described in one line; a `RefusedError` stops the run.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from inspect_ai.event import ModelEvent
from inspect_ai.hooks import (
    BeforeModelGenerate,
    EvalSetStart,
    Hooks,
    ModelCacheUsageData,
    ModelRetry,
    ModelUsageData,
    RunEnd,
    RunStart,
    SampleEnd,
    TaskStart,
)
from inspect_ai.log import transcript
from inspect_ai.model import Model
from inspect_ai.util import LimitExceededError

from .._util.errors import InputError, TextTooLongError
from .._util.progress import SampleProgress
from . import run_watch
from .hooks import register
from .reply_cache import is_answering
from .run_watch import Watch
from .spending import Call, Spending

_spendings = [Spending(reuse=False)]
"""Spending of the blocks in progress, the innermost last; the first counts calls outside of them.

A block (`track_spending`) may contain several runs, which have a watch each.
"""

_watches = [Watch(stops=False)]
"""Watches of the runs in progress, the innermost last; the first counts calls outside of a run.
"""

_call: ContextVar[Call | None] = ContextVar("arag_inspect_call", default=None)


@contextmanager
def track_spending(spending: Spending) -> Iterator[Spending]:
    """Track spending in the block, and interrupt the run before it exceeds the limit."""
    _register()
    _spendings.append(spending)
    limited = spending.max_dollars is not None
    ignored = limited and signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored:  # a shell's background job ignores Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield spending
    finally:
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _spendings.remove(spending)


@contextmanager
def watching(*, stops: bool = True, progress: SampleProgress | None = None) -> Iterator[Watch]:
    """Report providers that do not answer, and stop a run whose calls cannot succeed.

    Args:
        stops: Whether to stop it.
        progress: Shows how many samples have ended.
    """
    watch = Watch(stops, progress)
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(run_watch.LOOK):
            watch.name_absent()

    _register()
    _watches.append(watch)
    threading.Thread(target=look, daemon=True).start()
    try:
        yield watch
    finally:
        ended.set()
        _watches.remove(watch)


@contextmanager
def calling(model: Model) -> Iterator[Call]:
    """Count a call of a model, however it ends, and watch it if its run is watched."""
    call = Call(model, judge=not is_answering())
    token = _call.set(call)
    try:
        with _watches[-1].watch(call):
            yield call
    except LimitExceededError:
        _spendings[-1].pay_over_limit(call)
        raise
    finally:
        _call.reset(token)
        _spendings[-1].end(call)


@contextmanager
def stopping() -> Iterator[None]:
    """Stop the watched run on invalid input or a refused call, which would fail every sample.

    Raises:
        RefusedError: It was stopped before.
    """
    _watches[-1].check()
    try:
        yield
    except TextTooLongError:  # the sample is unscored
        raise
    except InputError as error:
        stop_run(error.message)
        raise


def stop_run(reason: str) -> None:
    """Stop the watched run, if any."""
    _watches[-1].stop(reason)


def count_fault(kind: str) -> None:
    """Count a fault of the watched run, if any; the run ends with a line for each kind."""
    _watches[-1].count(kind)


def resumable_set() -> str:
    """Return Inspect's id of the set whose replies are reused; empty without such a set."""
    spending = _spendings[-1]
    return spending.eval_set if spending.reuse else ""


def _register() -> None:
    register(_Monitor, "calls", "Counts what a run pays, and stops it if it cannot succeed.")


class _Monitor(Hooks):
    """Reports the calls of a run to its `Spending` and its `Watch`."""

    def enabled(self) -> bool:
        """Active only inside `track_spending` or `watching`."""
        return len(_spendings) > 1 or len(_watches) > 1

    async def on_eval_set_start(self, data: EvalSetStart) -> None:
        """Note the set of runs."""
        _spendings[-1].eval_set = data.eval_set_id

    async def on_run_start(self, data: RunStart) -> None:
        """Count the tasks."""
        watch = _watches[-1]
        watch.tasks = len(data.task_names) if watch.stops else 0

    async def on_task_start(self, data: TaskStart) -> None:
        """Note the run of an evaluation, and expect its samples."""
        _spendings[-1].tasks[data.eval_id] = data.spec.task_id
        _watches[-1].expect(data.spec)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Wait until an attempt fits under the limit; cancel it if the run was stopped."""
        call = _call.get()
        if call is not None:
            await _spendings[-1].begin(call, data)
            call.waits = False
            _cancel_if_stopped(call)

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Note a failed attempt and release its reservation; the next attempt reserves again."""
        call = _call.get()
        if call is not None:
            _spendings[-1].end(call)
            call.waits = True
        events = (event for event in reversed(transcript().events))
        last = next((event for event in events if isinstance(event, ModelEvent)), None)
        if last is not None:
            error = last.error or data.exception_type or "unknown error"
            _watches[-1].note_failure(last.model, error, data.status_code)
        if call is not None:
            _cancel_if_stopped(call)

    async def on_model_cache_usage(self, data: ModelCacheUsageData) -> None:
        """Release the reservation of a call that a cache answered."""
        call = _call.get()
        if call is not None:
            call.cached = True
            _spendings[-1].end(call)

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Count the cost of a call."""
        call = _call.get()
        if call is not None:
            _spendings[-1].pay(data.model_name, data.usage, call)

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Count a sample and its faults."""
        _watches[-1].end_sample(data.eval_id, data.sample)

    async def on_run_end(self, data: RunEnd) -> None:
        """Prevent Inspect from reporting success for an interrupted run, whose logs it omits.

        Raises:
            LimitExceededError: Tasks were interrupted; Inspect passes on only this error of a hook.
        """
        if data.exception is None and len(data.logs) < _watches[-1].tasks:
            raise LimitExceededError("custom", value=0, limit=0, message="interrupted")


def _cancel_if_stopped(call: Call) -> None:
    if _watches[-1].reason is not None:
        call.scope.cancel()
