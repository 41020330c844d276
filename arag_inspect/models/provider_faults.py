"""Faults of providers: which are final, which end a run, and how they are reported."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
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
    TaskStart,
)
from inspect_ai.log import EvalSample, transcript
from inspect_ai.model import Model
from inspect_ai.util import LimitExceededError
from rich import get_console

from .._util.errors import InputError, TextTooLongError, echo, one_line, printable
from .._util.network import through
from .._util.progress import SampleProgress
from ..types.trace import RetrievalTrace
from .hooks import register
from .spending import Call, counting, current_call

FAILING, SILENT = 15.0, 120.0
"""Seconds without any answer of a model after which it is named: if calls fail, and if they hang."""

LOOK = 1.0
"""Seconds between two looks at the calls under way."""

_GRACE = 3.0
"""Seconds that requests under way have when a run stops."""

_LONGEST = 300
_log = logging.getLogger(__name__)

_SPENT = re.compile(
    r"insufficient[ _](?:\w+[ _])?(?:quota|credit|balance|funds)|credit balance", re.IGNORECASE
)
_ACCOUNT_OR_MODEL = re.compile(
    r"credit|billing|balance|payment|quota|usage limit|spend"
    r"|\bmodel\b.*\b(?:not?|invalid|unknown|unsupported|denied|deprecated|retired)\b"
    r"|\b(?:not|invalid|unknown|unsupported|no)\b.*\bmodel\b",
    re.IGNORECASE,
)
_OF_REQUEST = re.compile(
    r"\btools?\b|function call|moderat|flagged|response_format|json_schema|\bseed\b|\btemperature\b"
    r"|log[ _-]?prob",
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
    is_cut = {JSONDecodeError, AssertionError}.intersection(kinds) or status == 200
    if is_cut or "TransportError" in {type_.__name__ for type_ in kinds}:
        return HalfReplyError(f"the reply of {model} was broken off ({reason})")
    if isinstance(error, ValueError | TypeError | AttributeError | LookupError):
        return UnreadableReplyError(f"the reply of {model} cannot be read ({reason})")
    return error


def _is_final(status: int, reason: str) -> bool:
    if status == 429:
        return _SPENT.search(reason) is not None
    if status in (401, 402):
        return True
    of_all = status in (403, 404) or (status in (400, 422) and _ACCOUNT_OR_MODEL.search(reason))
    return bool(of_all) and not _OF_REQUEST.search(reason)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> int | None:
    for raised in (error, error.__cause__):
        for source in (raised, getattr(raised, "response", None)):
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
    return bare(text or type(cause).__name__)


def bare(message: str) -> str:
    """Return the message of an error, as Inspect shows it, on one line without the type's name."""
    text = message.strip()
    if quoted := re.fullmatch(r"\w+\((['\"])(.*)\1,?\)", text, re.DOTALL):
        text = re.sub(r"\\(['\"\\])", r"\1", quoted[2])
    return one_line(ValueError(text))[:_LONGEST]


_ENDINGS = {
    "content_filter": "answers refused by the model",
    "max_tokens": "answers cut off at the output limit",
}


@dataclass
class _Provider:
    """The calls of a model under way, and its last sign of life."""

    address: str
    since: float
    """When it last answered, or the oldest of its calls began."""

    calls: int = 0
    error: str | None = None
    after: float | None = None
    """Seconds of silence after which it is named again."""


@dataclass
class Watch:
    """The calls of a run, until one shows that none can pass."""

    stops: bool = True
    """Whether it stops; else models that do not answer are only named."""

    progress: SampleProgress | None = None
    """Shows how many samples have ended."""

    reason: str | None = None
    """Why the run stopped."""

    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _reasons: dict[tuple[str, str], str] = field(default_factory=dict)
    _calls: set[Call] = field(default_factory=set)
    _providers: dict[str, _Provider] = field(default_factory=dict)
    _tasks: int = 0

    def stop(self, reason: str) -> None:
        """Let no other call begin, and those under way, which may be paid, end within seconds."""
        if self.reason is not None or not self.stops:
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
    def watch(self, call: Call) -> Iterator[None]:
        """Watch a call.

        Raises:
            RefusedError: The run was stopped before or meanwhile.
        """
        self.check()
        api = call.model.api
        address = str(api.base_url or getattr(getattr(api, "client", None), "base_url", ""))
        new = _Provider(address.rstrip("/"), monotonic())
        provider = self._providers.setdefault(str(call.model), new)
        if not provider.calls:
            provider.since = monotonic()
        with call.scope:
            provider.calls += 1
            self._calls.add(call)
            try:
                yield
                provider.since, provider.error, provider.after = monotonic(), None, None
            finally:
                provider.calls -= 1
                self._calls.discard(call)
        if call.scope.cancelled_caught:
            self.check()

    def failed(self, model: str, error: str, status: int | None) -> None:
        """Note a failed attempt that Inspect is about to repeat."""
        reason = bare(error)
        if model in self._providers:
            self._providers[model].error = reason
        if status == 429 and _SPENT.search(reason):
            self.stop(f"{model} refused a call (status {status}): {reason}")

    def count(self, kind: str, reason: str = "", number: int = 1) -> None:
        """Count a fault; kinds whose reasons differ only in numbers are one."""
        key = kind, re.sub(r"\d+", "0", reason)
        self._counts[key] += number
        self._reasons.setdefault(key, f": {reason}" if reason else "")

    def count_sample(self, sample: EvalSample) -> None:
        """Count the faults of a sample that ended."""
        errors = [message.error for message in sample.messages if message.role == "tool"]
        if unreadable := sum(error is not None and error.type == "parsing" for error in errors):
            self.count("tool calls with unreadable arguments", number=unreadable)
        if sample.error is not None:
            self.count("samples failed", bare(sample.error.message))
        elif skipped := sample.store_as(RetrievalTrace).skipped:
            self.count("samples skipped", skipped)
        elif sample.limit is None and (ending := _ENDINGS.get(sample.output.stop_reason)):
            self.count(ending)
        elif sample.limit is None and not sample.output.completion.strip():
            self.count("answers empty, though asked for twice")

    def lines(self) -> list[str]:
        """Return a line for each kind of fault, with its count, the most frequent first."""
        return [
            printable(f"{key[0]} ({number:,}){self._reasons[key]}")
            for key, number in self._counts.most_common()
        ]

    def name_absent(self) -> None:
        """Name each model that has not answered any call for too long, once a doubling of the time."""
        for name, provider in list(self._providers.items()):
            seconds = monotonic() - provider.since
            first = SILENT if provider.error is None else FAILING
            if not provider.calls or seconds < (provider.after or first):
                continue
            provider.after = 2 * seconds
            where = f" at {provider.address}" if provider.address else ""
            line = (
                f"{name}{where} has answered nothing for {seconds:.0f} s "
                f"({provider.error or 'no error, no reply'}"
                f"{through(provider.address or 'https://model')}); still "
                f"trying, Ctrl-C stops{' and keeps what is done' if self.stops else ''}"
            )
            _log.warning(line)
            if get_console().quiet:  # without Inspect's display the log is not shown
                echo(line, err=True)


_watches: list[Watch] = []


@contextmanager
def watching(*, stops: bool = True, progress: SampleProgress | None = None) -> Iterator[Watch]:
    """Name a provider that does not answer, and stop a run whose calls cannot pass.

    Args:
        stops: Whether to stop it.
        progress: Shows how many samples have ended.
    """
    watch, ended = Watch(stops, progress), threading.Event()

    def look() -> None:
        while not ended.wait(LOOK):
            watch.name_absent()

    register(_Faults, "provider_faults", "Stops a run whose calls cannot pass.")
    _watches.append(watch)
    threading.Thread(target=look, daemon=True).start()
    try:
        yield watch
    finally:
        ended.set()
        _watches.remove(watch)


def count_fault(kind: str) -> None:
    """Count a fault of the watched run, if there is one, for its last lines."""
    if _watches:
        _watches[-1].count(kind)


@contextmanager
def calling(model: Model) -> Iterator[Call]:
    """Count a call of a model, however it ends, and watch it, if a run is being watched."""
    with counting(model) as call, _watches[-1].watch(call) if _watches else nullcontext():
        yield call


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
        if (call := current_call()) is not None:
            call.waits = False
            if _watches[-1].reason is not None:
                call.scope.cancel()

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Note a failed attempt."""
        if (call := current_call()) is not None:
            call.waits = True
        events = (event for event in reversed(transcript().events))
        last = next((event for event in events if isinstance(event, ModelEvent)), None)
        if last is not None:
            error = last.error or data.exception_type or "unknown error"
            _watches[-1].failed(last.model, error, data.status_code)
        if call is not None and _watches[-1].reason is not None:
            call.scope.cancel()

    async def on_task_start(self, data: TaskStart) -> None:
        """Expect the samples of a task."""
        progress, dataset = _watches[-1].progress, data.spec.dataset
        if progress is not None:
            samples = len(dataset.sample_ids or ()) or dataset.samples or 0
            progress.expect(samples * (data.spec.config.epochs or 1))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Count a sample and its faults."""
        _watches[-1].count_sample(data.sample)
        if (progress := _watches[-1].progress) is not None:
            progress.advance()

    async def on_run_start(self, data: RunStart) -> None:
        """Count the tasks."""
        _watches[-1]._tasks = len(data.task_names) if _watches[-1].stops else 0

    async def on_run_end(self, data: RunEnd) -> None:
        """Keep Inspect from reporting success for an interrupted run, whose logs it leaves out.

        Raises:
            LimitExceededError: Tasks were interrupted; Inspect passes on no other error of a hook.
        """
        if data.exception is None and len(data.logs) < _watches[-1]._tasks:
            raise LimitExceededError("custom", value=0, limit=0, message="interrupted")
