"""What a run pays for its calls, a limit on it, and replies that need not be paid again."""

import json
import logging
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.hooks import (
    BeforeModelGenerate,
    EvalSetStart,
    Hooks,
    ModelCacheUsageData,
    ModelRetry,
    ModelUsageData,
    TaskStart,
)
from inspect_ai.log import Transcript, transcript
from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.util import LimitExceededError

from .._util.files import digest
from .hooks import register
from .pricing import dollars, known_price
from .recorded.keys import is_recorded
from .under_way import UNDER_WAY, CallsUnderWay

LEDGER = "paid.jsonl"
"""File of a log folder: one line for each call that a provider answered, over all starts."""

_PATIENCE = 5.0
"""Seconds from one interrupt to the next."""

_POLL = 0.05
"""Seconds between two looks at whether a call has room."""

_TOKENS_PER_CHARACTER = 0.5
"""Most that the length of a prompt counts for; English has 0.2 to 0.3, tables more."""

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Call:
    """A call in progress."""

    model: Model
    judge: bool
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    waits: bool = True
    """Whether no request is under way: it waits for a connection, or before it is repeated."""

    reserved: float = 0.0
    """Dollars set aside while a provider works on it."""

    characters: int = 0
    batch: bool = False
    eval_id: str = ""
    cached: bool = False
    """Whether Inspect's cache answered."""

    question: str = ""
    """Digest of what it asks while it is under way, if its reply is kept."""


@dataclass
class _Seen:
    """What the calls of a model were like."""

    characters: int = 0
    input_tokens: int = 0
    longest: int = 0
    """Tokens of its longest reply."""

    dearest: float = 0.0


@dataclass
class Spending:
    """Dollars of all calls of a run that a provider answered."""

    most: float | None = None
    """Limit in dollars; None for no limit."""

    expected: Mapping[str, float] = field(default_factory=dict)
    """Estimated dollars of a call, by model."""

    ledger: Path | None = None
    """File that the calls are appended to."""

    reuse: bool = True
    """Whether replies that this set paid for earlier are used again."""

    paid: float = 0.0
    stopped: bool = False
    eval_set: str = ""
    """Inspect's id of the set of runs in this log folder."""

    tasks: dict[str, str] = field(default_factory=dict)
    """Inspect's `task_id` by `eval_id`: the first stays when a run is taken up again."""

    under_way: CallsUnderWay = field(init=False)
    _open: set[Call] = field(default_factory=set)
    _seen: dict[str, _Seen] = field(default_factory=dict)
    _over_limit: set[str | None] = field(default_factory=set)
    _pressed: float = -_PATIENCE

    def __post_init__(self) -> None:
        """Read which calls earlier starts have lost."""
        path = self.ledger and self.ledger.with_name(UNDER_WAY)
        self.under_way = CallsUnderWay(path)

    async def begin(self, call: Call, data: BeforeModelGenerate) -> None:
        """Wait until a call cannot exceed the limit; stop the run if it never will.

        The first call of a model is waited for: until it has ended, nothing says what the others
        will cost.
        """
        call.batch, call.eval_id = bool(data.config.batch), data.eval_id or ""
        if self.most is not None:
            await self._wait_for_room(call, data)
        if scopes := _scopes(data.config):
            call.question = digest(str(call.model), *scopes.values())
            self.under_way.begin(call.question)

    async def _wait_for_room(self, call: Call, data: BeforeModelGenerate) -> None:
        call.characters = sum(len(message.text) for message in data.input) + sum(
            len(tool.model_dump_json(exclude_none=True)) for tool in data.tools
        )
        started = perf_counter()
        while not self.stopped and not self._has_room(call, data.config.max_tokens):
            self.stopped = not self._open
            await anyio.sleep(_POLL)
        if (waited := _WAITED.get()) is not None:
            waited.append(perf_counter() - started)
        while self.stopped:  # until this task is cancelled; a single interrupt can be lost
            if perf_counter() - self._pressed > _PATIENCE:
                self._pressed = perf_counter()
                signal.raise_signal(signal.SIGINT)  # like Ctrl-C: Inspect keeps completed samples
            await anyio.sleep(0.1)
        self._open.add(call)

    def _has_room(self, call: Call, max_tokens: int | None) -> bool:
        name = str(call.model)
        if name not in self._seen and any(str(other.model) == name for other in self._open):
            return False
        call.reserved = self._most_of(call, max_tokens)
        reserved = sum(other.reserved for other in (*self._open, call))
        return self.paid + reserved <= (self.most or 0)

    def _most_of(self, call: Call, max_tokens: int | None) -> float:
        """Return the dollars that a call may cost: by its text, and as much as any before it."""
        name = str(call.model)
        seen, cost = self._seen.get(name), known_price(call.model)
        if seen is None or cost is None:
            return self.expected.get(name, 0.0)
        rate = min(1.1 * seen.input_tokens / max(seen.characters, 1), _TOKENS_PER_CHARACTER)
        sent = call.characters * rate * max(cost.input, cost.input_cache_write)
        reply = min(seen.longest, max_tokens or seen.longest) * cost.output
        usage = ModelUsage(total_cost=(sent + reply) / 1e6)
        return max(seen.dearest, dollars(name, usage, batch=call.batch) or 0.0)

    def end(self, call: Call) -> None:
        """Release what was set aside for a call: it was answered, failed or was cancelled."""
        self._open.discard(call)
        call.reserved = 0.0
        if call.question:
            self.under_way.end(call.question)
            call.question = ""

    def pay(self, model: str, usage: ModelUsage, call: Call) -> None:
        """Add a call that a provider answered."""
        cost = 0.0 if is_recorded(model) else dollars(model, usage, batch=call.batch)
        self.paid += cost or 0.0
        seen = self._seen.setdefault(model, _Seen())
        cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        seen.characters += call.characters
        seen.input_tokens += usage.input_tokens + cached
        seen.longest = max(seen.longest, usage.output_tokens)
        seen.dearest = max(seen.dearest, cost or 0.0)
        if cost != 0:
            task = self.tasks.get(call.eval_id)
            line = {"task": task, "model": model, "judge": call.judge, "usd": cost}
            self._write(line)
            for _ in range(self.under_way.take_lost(call.question)):
                self._write({**line, "lost": True})  # charged, though no start saw the reply
        self.end(call)

    def pay_over_limit(self, call: Call) -> None:
        """Add a call whose reply exceeded a limit of the sample: Inspect reports its usage to no hook."""
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

    def _write(self, entry: dict[str, Any]) -> None:
        if self.ledger is None:
            return
        try:
            with self.ledger.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        except OSError as error:
            _log.warning("%s cannot be written, so what was paid is not kept: %s", LEDGER, error)
            self.ledger = None


_now: list[Spending] = []
_CALL: ContextVar[Call | None] = ContextVar("arag_inspect_call", default=None)
_WAITED: ContextVar[list[float] | None] = ContextVar("arag_inspect_waited", default=None)
_SCOPE: ContextVar[str] = ContextVar("arag_inspect_scope", default="")
_CONDITIONS: ContextVar[str] = ContextVar("arag_inspect_conditions", default="")
_askings: WeakKeyDictionary[Transcript, Counter[str]] = WeakKeyDictionary()
_asked_now: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()
_QUESTION = "question"
"""Scope with the digest of a question."""


@contextmanager
def counted(spending: Spending) -> Iterator[Spending]:
    """Count what is paid in the block, and interrupt the run before it exceeds the limit."""
    register(_Counting, "spending", "Counts what a run pays, and stops it before --max-dollars.")
    _now.append(spending)
    limited = spending.most is not None
    ignored = limited and signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored:  # a background job of a shell
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield spending
    finally:
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _now.remove(spending)


@contextmanager
def answering(scope: str, conditions: str = "") -> Iterator[list[float]]:
    """Keep the replies of a system to a sample apart from all others.

    Args:
        scope: Names the system and the sample.
        conditions: Digest of what the answers depend on besides the conversation; a reply given
            under other conditions is not used again.

    Yields:
        Seconds that calls in the block waited for room under the limit, as they end.
    """
    waited: list[float] = []
    tokens = _SCOPE.set(scope), _CONDITIONS.set(conditions)
    waiting = _WAITED.set(waited)
    try:
        yield waited
    finally:
        _SCOPE.reset(tokens[0])
        _CONDITIONS.reset(tokens[1])
        _WAITED.reset(waiting)


@contextmanager
def counting(model: Model) -> Iterator[Call]:
    """Count a call of a model, however it ends."""
    call = Call(model, judge=not _SCOPE.get())
    token = _CALL.set(call)
    try:
        yield call
    except LimitExceededError:
        if _now:
            _now[-1].pay_over_limit(call)
        raise
    finally:
        _CALL.reset(token)
        if _now:
            _now[-1].end(call)


def current_call() -> Call | None:
    """Return the call in progress, for hooks."""
    return _CALL.get()


def with_conditions(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return messages whose first one names the conditions of `answering` in its metadata.

    Providers do not see metadata, but it is part of Inspect's cache key. So a cache that the user
    turned on tells conditions apart too.
    """
    marked, conditions = list(messages), _CONDITIONS.get()
    if marked and conditions:
        metadata = {**(marked[0].metadata or {}), "conditions": conditions}
        marked[0] = marked[0].model_copy(update={"metadata": metadata})
    return marked


def kept(model: Model, messages: Sequence[ChatMessage], config: GenerateConfig) -> GenerateConfig:
    """Return settings with which a reply is kept, and used again by this set.

    The same question counts as the same only in the same sample and epoch of the same system, and
    its second asking there as another one, so that repeated draws stay draws of their own. Judges
    are asked by the text alone. Nothing is kept outside a set, or of a model that costs nothing.
    """
    if not _now or not _now[-1].reuse or not _now[-1].eval_set:
        return config
    cost = known_price(model)
    is_free = cost is not None and not (cost.input or cost.output)
    if is_free or is_recorded(model):
        return config
    text = "\n".join(message.model_dump_json(exclude={"id"}) for message in messages)
    question = sha256(f"{model}\n{config.model_dump_json()}\n{text}".encode()).hexdigest()
    counts = _askings.setdefault(transcript(), Counter())
    counts[question] += 1
    scopes = {
        **{"set": _now[-1].eval_set, "of": _SCOPE.get(), "conditions": _CONDITIONS.get()},
        **{_QUESTION: question, "asking": str(counts[question])},
    }
    return config.model_copy(update={"cache": CachePolicy(scopes=scopes)})


@asynccontextmanager
async def one_at_a_time(config: GenerateConfig) -> AsyncIterator[None]:
    """Wait while another sample asks the same question, so that its reply is used again.

    Args:
        config: Settings that `kept` gave.
    """
    scopes = _scopes(config)
    if not scopes:
        yield
        return
    lock = _asked_now.setdefault(json.dumps(scopes), anyio.Lock())
    async with lock:
        yield


def _scopes(config: GenerateConfig) -> dict[str, str]:
    """Return the scopes that `kept` gave; empty if it gave none."""
    scopes = config.cache.scopes if isinstance(config.cache, CachePolicy) else {}
    return scopes if _QUESTION in scopes else {}


def from_cache(output: ModelOutput) -> bool:
    """Return whether a reply came out of Inspect's cache."""
    event = call_of(output)
    return event is not None and event.cache == "read"


def call_of(output: ModelOutput) -> ModelEvent | None:
    """Return the last event of the call that gave a reply, or None."""
    for event in reversed(transcript().events):
        if (
            isinstance(event, ModelEvent)
            and event.output.choices
            and output.choices
            and event.output.message.id == output.message.id
        ):
            return event
    return None


class _Counting(Hooks):
    """Reports calls to the `Spending` of the run."""

    def enabled(self) -> bool:
        """Active only inside `counted`."""
        return bool(_now)

    async def on_eval_set_start(self, data: EvalSetStart) -> None:
        """Note which set of runs this is."""
        _now[-1].eval_set = data.eval_set_id

    async def on_task_start(self, data: TaskStart) -> None:
        """Note which run an evaluation belongs to."""
        _now[-1].tasks[data.eval_id] = data.spec.task_id

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Count an attempt that begins."""
        if (call := current_call()) is not None:
            await _now[-1].begin(call, data)

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Uncount an attempt that failed; the next one is counted when it begins."""
        if (call := current_call()) is not None:
            _now[-1].end(call)

    async def on_model_cache_usage(self, data: ModelCacheUsageData) -> None:
        """Uncount a call that a cache answered."""
        if (call := current_call()) is not None:
            call.cached = True
            _now[-1].end(call)

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Count what a call cost."""
        if (call := current_call()) is not None:
            _now[-1].pay(data.model_name, data.usage, call)
