"""Track and limit a run's payments for model calls."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.hooks import BeforeModelGenerate
from inspect_ai.log import transcript
from inspect_ai.model import Model, ModelUsage

from .pricing import dollars, known_price, total_input_tokens
from .recorded import is_recorded
from .reply_cache import question_digest
from .under_way import UNDER_WAY, CallsUnderWay, JsonLines

LEDGER = "paid.jsonl"
"""File in a log folder with a line for each answered call of all starts."""

LEDGER_TASK = "ledger_task"
"""Key in a log's metadata for the task id in the ledger, if the log has another."""

_INTERRUPT_INTERVAL = 5.0
"""Seconds between two interrupts."""

_POLL = 0.05
"""Seconds between two checks of a waiting call."""

_TOKENS_PER_CHARACTER = 0.5
"""Upper bound of the measured rate; English has 0.2 to 0.3, tables more."""


@dataclass(eq=False)
class Call:
    """A call in progress."""

    model: Model
    judge: bool
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    waits: bool = True
    """Whether it waits for a connection or its next attempt, without a request in progress."""

    reserved: float = 0.0
    """Dollars set aside until it ends."""

    characters: int = 0
    batch: bool = False
    eval_id: str = ""
    cached: bool = False
    """Whether Inspect's cache answered."""

    question: str = ""
    """Digest of its question while in progress, if its reply is kept."""


@dataclass
class _History:
    """Totals and extremes of the calls of a model so far."""

    characters: int = 0
    input_tokens: int = 0
    longest: int = 0
    """Tokens of the longest reply."""

    dearest: float = 0.0
    """Dollars of the most expensive call."""


@dataclass(eq=False)
class Spending:
    """Dollars of all calls of a run that a provider answered."""

    max_dollars: float | None = None
    """Limit; None for no limit."""

    expected: Mapping[str, float] = field(default_factory=dict)
    """Estimated dollars of a call, by model."""

    ledger: Path | None = None
    """File that the calls are appended to."""

    reuse: bool = True
    """Whether replies that this set already paid for are reused."""

    paid: float = 0.0
    stopped: bool = False
    eval_set: str = ""
    """Inspect's id of the set of runs in this log folder."""

    tasks: dict[str, str] = field(default_factory=dict)
    """Inspect's `task_id`, which stays the same when a run is resumed, by `eval_id`."""

    under_way: CallsUnderWay = field(init=False)
    _file: JsonLines = field(init=False)
    _open: set[Call] = field(default_factory=set)
    _histories: dict[str, _History] = field(default_factory=dict)
    _over_limit: set[str | None] = field(default_factory=set)
    _interrupted_at: float = -_INTERRUPT_INTERVAL

    def __post_init__(self) -> None:
        """Read the replies that earlier starts lost."""
        self._file = JsonLines(self.ledger, ", so spending is not recorded")
        path = self.ledger.with_name(UNDER_WAY) if self.ledger is not None else None
        self.under_way = CallsUnderWay(path)

    async def begin(self, call: Call, data: BeforeModelGenerate) -> None:
        """Wait until a call cannot exceed the limit; stop the run if it never will.

        The first call of each model runs alone, because later costs are estimated from it.
        """
        call.batch = bool(data.config.batch)
        call.eval_id = data.eval_id or ""
        if self.max_dollars is not None:
            await self._wait_for_room(call, data)
        call.question = question_digest(call.model, data.config)
        if call.question:
            self.under_way.begin(call.question)

    async def _wait_for_room(self, call: Call, data: BeforeModelGenerate) -> None:
        call.characters = sum(len(message.text) for message in data.input)
        call.characters += sum(len(tool.model_dump_json(exclude_none=True)) for tool in data.tools)
        started = perf_counter()
        while not self.stopped and not self._has_room(call, data.config.max_tokens):
            self.stopped = not self._open
            await anyio.sleep(_POLL)
        wait_list = _waits.get()
        if wait_list is not None:
            wait_list.append(perf_counter() - started)
        while self.stopped:  # until this task is cancelled; a single interrupt can be lost
            if perf_counter() - self._interrupted_at > _INTERRUPT_INTERVAL:
                self._interrupted_at = perf_counter()
                signal.raise_signal(signal.SIGINT)  # like Ctrl-C: Inspect keeps completed samples
            await anyio.sleep(0.1)
        self._open.add(call)

    def _has_room(self, call: Call, max_tokens: int | None) -> bool:
        name = str(call.model)
        open_names = {str(open_call.model) for open_call in self._open}
        if name not in self._histories and name in open_names:
            return False
        call.reserved = self._highest_cost(call, max_tokens)
        reserved = sum(open_call.reserved for open_call in (*self._open, call))
        return self.paid + reserved <= (self.max_dollars or 0)

    def _highest_cost(self, call: Call, max_tokens: int | None) -> float:
        """Return the maximum dollars that a call may cost, by its length and earlier calls."""
        name = str(call.model)
        history = self._histories.get(name)
        cost = known_price(call.model)
        if history is None or cost is None:
            return self.expected.get(name, 0.0)
        measured_rate = history.input_tokens / max(history.characters, 1)
        rate = min(1.1 * measured_rate, _TOKENS_PER_CHARACTER)
        input_cost = call.characters * rate * max(cost.input, cost.input_cache_write)
        output_cost = min(history.longest, max_tokens or history.longest) * cost.output
        usage = ModelUsage(total_cost=(input_cost + output_cost) / 1e6)
        return max(history.dearest, dollars(name, usage, batch=call.batch) or 0.0)

    def end(self, call: Call) -> None:
        """Release the reservation of a call that was answered, failed or was cancelled."""
        self._open.discard(call)
        call.reserved = 0.0
        if call.question:
            self.under_way.end(call.question)
            call.question = ""

    def pay(self, model: str, usage: ModelUsage, call: Call) -> None:
        """Add a call that a provider answered."""
        cost = 0.0 if is_recorded(model) else dollars(model, usage, batch=call.batch)
        self.paid += cost or 0.0
        history = self._histories.setdefault(model, _History())
        history.characters += call.characters
        history.input_tokens += total_input_tokens(usage)
        history.longest = max(history.longest, usage.output_tokens)
        history.dearest = max(history.dearest, cost or 0.0)
        if cost != 0:
            task = self.tasks.get(call.eval_id)
            line = {"task": task, "model": model, "judge": call.judge, "usd": cost}
            self._file.append(line)
            for _ in range(self.under_way.take_lost(call.question)):
                self._file.append({**line, "lost": True})  # charged, though its reply never arrived
        self.end(call)

    def pay_over_limit(self, call: Call) -> None:
        """Add a call over a limit of the sample, which Inspect does not report to hooks."""
        for event in reversed(transcript().events):
            if (
                isinstance(event, ModelEvent)
                and event.output.usage is not None
                and event.completed is None
                and event.cache != "read"
                and event.model == str(call.model)
                and event.uuid not in self._over_limit
            ):
                self._over_limit.add(event.uuid)
                self.pay(event.model, event.output.usage, call)
                return


_waits: ContextVar[list[float] | None] = ContextVar("arag_inspect_waits", default=None)


@contextmanager
def measuring_waits() -> Iterator[list[float]]:
    """Yield a list of the seconds that calls in the block waited for room under the limit."""
    seconds: list[float] = []
    token = _waits.set(seconds)
    try:
        yield seconds
    finally:
        _waits.reset(token)
