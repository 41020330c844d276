"""Faults of providers: which are final, which end a run, and how they are reported."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from json import JSONDecodeError
from time import monotonic

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.hooks import (
    BeforeModelGenerate,
    Hooks,
    ModelRetry,
    RunEnd,
    RunStart,
    SampleEnd,
    hooks,
)
from inspect_ai.log import EvalSample, transcript
from inspect_ai.model import Model
from inspect_ai.util import LimitExceededError

from .._util.errors import InputError, TextTooLongError, one_line, printable
from .._util.network import through
from ..types.trace import RetrievalTrace

FAILING, SILENT = 15.0, 120.0
"""Seconds without any answer of a model after which it is named: if calls fail, and if they hang."""

_GRACE = 3.0
"""Seconds that requests under way have when a run stops."""

_LONGEST = 300
_log = logging.getLogger(__name__)

_ACCOUNT = re.compile(r"credit|billing|balance|payment|quota|usage limit|spend", re.IGNORECASE)
_SPENT = re.compile(
    r"insufficient[ _](?:\w+[ _])?(?:quota|credit|balance|funds)|credit balance", re.IGNORECASE
)
_MODEL = re.compile(
    r"\bmodel\b.*\b(?:not?|invalid|unknown|unsupported|denied|deprecated|retired)\b"
    r"|\b(?:not|invalid|unknown|unsupported|no)\b.*\bmodel\b",
    re.IGNORECASE,
)
_OF_REQUEST = re.compile(
    r"\btools?\b|function call|moderat|flagged|response_format|json_schema|\bseed\b|\btemperature\b",
    re.IGNORECASE,
)
"""Faults of one request or system, whatever the status: others may pass."""


class CallError(RuntimeError):
    """A failed call, with model, status and the provider's reason in one line."""


class HalfReplyError(CallError):
    """A reply that the provider interrupted, or that is no JSON."""


class UnreadableReplyError(HalfReplyError):
    """A reply of another form than the provider's library expects."""


class RefusedError(InputError):
    """A call that the provider will not answer, however often it is asked."""


def named(model: Model | str, error: Exception) -> Exception:
    """Return the error of a failed call as one line; an error without a status is returned as it is.

    Returns:
        `RefusedError`, which stops a watched run, if no other call can pass either,
        `HalfReplyError` if the reply broke off or is no JSON, `UnreadableReplyError` if it has
        another form, and `CallError` for other replies with a status.
    """
    status, reason = _status(error), _reason(error)
    if status is not None and status >= 400:
        text = f"{model} refused a call (status {status}): {reason}"
        if not _is_final(status, reason):
            return CallError(text)
        _stop(text)
        return RefusedError(text)
    kinds = [type_ for cause in _causes(error) for type_ in type(cause).__mro__]
    if (
        status == 200  # an event of a stream that is no JSON
        or any(type_ in (JSONDecodeError, AssertionError) for type_ in kinds)
        or any(type_.__name__ == "TransportError" for type_ in kinds)
    ):
        return HalfReplyError(f"the reply of {model} was broken off ({reason})")
    if isinstance(error, _OTHER_FORM):
        return UnreadableReplyError(f"the reply of {model} cannot be read ({reason})")
    return error


def _is_final(status: int, reason: str) -> bool:
    if status in (401, 402):
        return True
    if status == 429:
        return _SPENT.search(reason) is not None
    if _OF_REQUEST.search(reason):
        return False
    return status in (403, 404) or (
        status in (400, 422)
        and (_ACCOUNT.search(reason) is not None or _MODEL.search(reason) is not None)
    )


_OTHER_FORM = (ValueError, TypeError, AttributeError, LookupError)
"""What libraries of providers raise on a reply of another form."""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> int | None:
    for each in (error, error.__cause__):
        for source in (each, getattr(each, "response", None)):
            for name in ("status_code", "code"):
                if isinstance(status := getattr(source, name, None), int):
                    return status
    return None


def _reason(error: BaseException) -> str:
    """Return the provider's own words, on one line."""
    cause = error.__cause__ or error
    body = getattr(cause, "body", None)
    if isinstance(body, dict):
        inner = body.get("error")
        inner = inner if isinstance(inner, dict) else body
        codes = (inner.get("message"), inner.get("code") or inner.get("type"))
        text = " ".join(f"({c})" if i else str(c) for i, c in enumerate(codes) if c)
    else:
        text = str(cause)
    return bare(text or type(cause).__name__)[:_LONGEST]


def bare(message: str) -> str:
    """Return the message of an error, as Inspect shows it, on one line without the type's name."""
    text = re.sub(r"^\w+\((['\"])(.*)\1,?\)$", r"\2", message.strip(), flags=re.DOTALL)
    return one_line(ValueError(text))


_ENDINGS = {
    "content_filter": "answers refused by the model",
    "max_tokens": "answers cut off at the output limit",
}


@dataclass(eq=False)
class _Call:
    model: str
    address: str
    scope: anyio.CancelScope
    started: float = field(default_factory=monotonic)
    waits: bool = True
    """Whether no request is under way: it waits for a connection, or before it is repeated."""


@dataclass
class Watch:
    """The calls of a run, until one shows that none can pass."""

    reason: str | None = None
    """Why the run stopped."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Samples, answers and tool calls with a fault, by kind and reason."""

    _calls: set[_Call] = field(default_factory=set)
    _heard: dict[str, float] = field(default_factory=dict)
    _errors: dict[str, str] = field(default_factory=dict)
    _named: dict[str, float] = field(default_factory=dict)
    _tasks: int = 0

    def stop(self, reason: str) -> None:
        """Let no other call begin, and those under way, which may be paid, end within seconds."""
        if self.reason is not None:
            return
        self.reason = reason
        for call in self._calls:
            call.scope.deadline = anyio.current_time() + (0 if call.waits else _GRACE)

    def check(self) -> None:
        """Raise if the run was stopped.

        Raises:
            RefusedError: It was.
        """
        if self.reason is not None:
            raise RefusedError(self.reason)

    @contextmanager
    def call(self, model: Model) -> Iterator[None]:
        """Watch a call.

        Raises:
            RefusedError: The run was stopped before or meanwhile.
        """
        self.check()
        name = str(model)
        client = getattr(model.api, "client", None)
        address = str(model.api.base_url or getattr(client, "base_url", "")).rstrip("/")
        with anyio.CancelScope() as scope:
            call = _Call(name, address, scope)
            self._calls.add(call)
            token = _CALL.set(call)
            try:
                yield
                self._heard[name] = monotonic()
                self._errors.pop(name, None)
                self._named.pop(name, None)
            finally:
                _CALL.reset(token)
                self._calls.discard(call)
        if scope.cancelled_caught:
            self.check()

    def failed(self, model: str, error: str, status: int | None) -> None:
        """Note a failed attempt that Inspect is about to repeat."""
        reason = bare(error)[:_LONGEST]
        self._errors[model] = reason
        if status == 429 and _SPENT.search(reason):
            self.stop(f"{model} refused a call (status {status}): {reason}")

    def count(self, sample: EvalSample) -> None:
        """Count the faults of a sample that ended."""
        bad_calls = [
            message
            for message in sample.messages
            if message.role == "tool" and message.error and message.error.type == "parsing"
        ]
        if bad_calls:
            self.counts["tool calls with unreadable arguments", ""] += len(bad_calls)
        if sample.error is not None:
            self.counts["samples failed", bare(sample.error.message)[:_LONGEST]] += 1
        elif skipped := sample.store_as(RetrievalTrace).skipped:
            self.counts["samples skipped", skipped] += 1
        elif sample.limit is None and (ending := _ENDINGS.get(sample.output.stop_reason)):
            self.counts[ending, ""] += 1
        elif sample.limit is None and not sample.output.completion.strip():
            self.counts["answers empty, though asked for twice", ""] += 1

    def lines(self) -> list[str]:
        """Return a line for each kind of fault, with its count, the most frequent first.

        Kinds that differ only in numbers are one.
        """
        merged: dict[tuple[str, str], tuple[str, int]] = {}
        for (kind, reason), number in self.counts.items():
            key = kind, re.sub(r"\d+", "0", reason)
            first, previous = merged.get(key, (reason, 0))
            merged[key] = first, previous + number
        by_count = sorted(merged.items(), key=lambda each: -each[1][1])
        return [
            printable(f"{kind} ({number:,}){f': {reason}' if reason else ''}")
            for (kind, _), (reason, number) in by_count
        ]

    def name_absent(self) -> None:
        """Name each model that has not answered any call for too long, once a doubling of the time."""
        now = monotonic()
        oldest: dict[str, tuple[float, str]] = {}
        for call in list(self._calls):
            since = call.started, call.address
            oldest[call.model] = min(oldest.get(call.model, since), since)
        for name, (started, address) in oldest.items():
            seconds = now - max(started, self._heard.get(name, 0.0))
            error = self._errors.get(name)
            if seconds < self._named.get(name, SILENT if error is None else FAILING):
                continue
            self._named[name] = 2 * seconds
            where = f" at {address}" if address else ""
            _log.warning(
                f"{name}{where} has answered nothing for {seconds:.0f} s "
                f"({error or 'no error, no reply'}{through(address or 'https://model')}); still "
                "trying, Ctrl-C stops and keeps what is done"
            )


_watches: list[Watch] = []
_CALL: ContextVar[_Call | None] = ContextVar("arag_inspect_watched_call", default=None)


@contextmanager
def watching() -> Iterator[Watch]:
    """Stop a run whose calls cannot pass, and name a provider that does not answer."""
    watch, ended = Watch(), threading.Event()

    def look() -> None:
        while not ended.wait(1):
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
def watched(model: Model) -> Iterator[None]:
    """Watch a call, if a run is being watched; see `Watch.call`."""
    if not _watches:
        yield
        return
    with _watches[-1].call(model):
        yield


@contextmanager
def stopping() -> Iterator[None]:
    """Stop the watched run on an invalid input or a refused call, which no other sample survives.

    Raises:
        RefusedError: It was stopped before.
    """
    if _watches:
        _watches[-1].check()
    try:
        yield
    except TextTooLongError:  # the sample is unscored
        raise
    except InputError as error:
        _stop(error.message)
        raise


def _stop(reason: str) -> None:
    if _watches:
        _watches[-1].stop(reason)


class _Faults(Hooks):
    """Follows failed attempts, and a run that ends before all of its tasks did."""

    def enabled(self) -> bool:
        """Active only inside `watching`."""
        return bool(_watches)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Note that a request begins, or keep it from beginning."""
        if (call := _CALL.get()) is not None:
            call.waits = False
            if _watches[-1].reason is not None:
                call.scope.cancel()

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Note a failed attempt."""
        if (call := _CALL.get()) is not None:
            call.waits = True
        events = (event for event in reversed(transcript().events))
        last = next((event for event in events if isinstance(event, ModelEvent)), None)
        if last is not None:
            error = last.error or data.exception_type or "unknown error"
            _watches[-1].failed(last.model, error, data.status_code)
        if call is not None and _watches[-1].reason is not None:
            call.scope.cancel()

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Count the faults of a sample."""
        _watches[-1].count(data.sample)

    async def on_run_start(self, data: RunStart) -> None:
        """Count the tasks."""
        _watches[-1]._tasks = len(data.task_names)

    async def on_run_end(self, data: RunEnd) -> None:
        """Keep Inspect from reporting success for an interrupted run, whose logs it leaves out.

        Raises:
            LimitExceededError: Tasks were interrupted; Inspect passes on no other error of a hook.
        """
        if data.exception is None and len(data.logs) < _watches[-1]._tasks:
            raise LimitExceededError("custom", value=0, limit=0, message="interrupted")


@cache
def _register() -> None:
    """Register the hooks when they are first needed: Inspect lists any in a banner."""
    hooks("arag_inspect/provider_faults", "Stops a run whose calls cannot pass.")(_Faults)
