"""Watch the calls of a run: report silent providers, stop a hopeless run, count faults."""

import logging
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic

import anyio
from inspect_ai.log import EvalSample, EvalSpec
from inspect_ai.model import Model
from rich import get_console

from .._util.errors import echo, printable
from .._util.network import through
from .._util.progress import SampleProgress
from ..types.trace import RetrievalTrace
from .provider_faults import RefusedError, bare, is_out_of_credit
from .spending import Call

FAILING = 15.0
"""Seconds without an answer after which a model is reported, if its calls fail."""

SILENT = 120.0
"""Seconds without an answer after which a model is reported, if its calls hang."""

LOOK = 1.0
"""Seconds between two checks of the calls in progress."""

_GRACE = 3.0
"""Seconds granted to requests in progress when a run stops."""

_CANCELLED = ("CancelledError(", "Cancelled(")
"""Starts of the error of a cancelled sample, with either event loop."""

_log = logging.getLogger(__name__)

_ENDINGS = {
    "content_filter": "answers refused by the model",
    "max_tokens": "answers cut off at the output limit",
}


@dataclass
class _Provider:
    """The calls of a model in progress, and the time of its last answer."""

    address: str
    since: float
    """Time of its last answer, or of the start of its oldest call."""

    calls: int = 0
    error: str | None = None
    after: float | None = None
    """Seconds of silence after which it is reported again."""


@dataclass(eq=False)
class Watch:
    """The calls of a run, until one shows that all will fail."""

    stops: bool = True
    """Whether the run stops; if not, silent models are only reported."""

    progress: SampleProgress | None = None
    """Shows how many samples have ended."""

    reason: str | None = None
    """Reason for stopping the run."""

    ran: Counter[str] = field(default_factory=Counter)
    """Samples that ended, by `eval_id`, without samples reused from earlier logs."""

    tasks: int = 0
    """Tasks of the run in progress; 0 if it is not stopped."""

    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _reasons: dict[tuple[str, str], str] = field(default_factory=dict)
    _calls: set[Call] = field(default_factory=set)
    _providers: dict[str, _Provider] = field(default_factory=dict)

    def stop(self, reason: str) -> None:
        """Prevent further calls; calls in progress, which may be paid for, get seconds to end."""
        if self.reason is not None or not self.stops:
            return
        self.reason = reason
        for call in self._calls:
            call.scope.deadline = anyio.current_time() + (0 if call.waits else _GRACE)

    def check(self) -> None:
        """Raise if the run was stopped.

        Raises:
            RefusedError: The run was stopped.
        """
        if self.reason is not None:
            raise RefusedError(self.reason)

    @contextmanager
    def watch(self, call: Call) -> Iterator[None]:
        """Watch a call.

        Raises:
            RefusedError: The run was stopped before or during the call.
        """
        self.check()
        new = _Provider(address_of(call.model), monotonic())
        provider = self._providers.setdefault(str(call.model), new)
        if not provider.calls:
            provider.since = monotonic()
        with call.scope:
            provider.calls += 1
            self._calls.add(call)
            try:
                yield
                provider.since = monotonic()
                provider.error = None
                provider.after = None
            finally:
                provider.calls -= 1
                self._calls.discard(call)
        if call.scope.cancelled_caught:
            self.check()

    def note_failure(self, model: str, error: str, status: int | None) -> None:
        """Note a failed attempt that Inspect is about to repeat."""
        reason = bare(error)
        if model in self._providers:
            self._providers[model].error = reason
        if is_out_of_credit(status, reason):
            self.stop(f"{model} refused a call (status {status}): {reason}")

    def count(self, kind: str, reason: str = "", number: int = 1) -> None:
        """Count a fault; faults whose reasons differ only in numbers are of one kind."""
        key = (kind, re.sub(r"\d+", "0", reason))
        self._counts[key] += number
        self._reasons.setdefault(key, f": {reason}" if reason else "")

    def expect(self, task: EvalSpec) -> None:
        """Expect the samples of a task."""
        if self.progress is not None:
            samples = len(task.dataset.sample_ids or ()) or task.dataset.samples or 0
            self.progress.expect(samples * (task.config.epochs or 1))

    def end_sample(self, eval_id: str, sample: EvalSample) -> None:
        """Count a sample and its faults."""
        self.ran[eval_id] += 1
        is_cancelled = _is_cancelled(sample)
        if not is_cancelled:
            self._count_faults(sample)
        if self.progress is not None:
            end = self.progress.cancel if is_cancelled else self.progress.advance
            end()

    def _count_faults(self, sample: EvalSample) -> None:
        errors = [message.error for message in sample.messages if message.role == "tool"]
        unreadable = sum(error is not None and error.type == "parsing" for error in errors)
        if unreadable:
            self.count("tool calls with unreadable arguments", number=unreadable)
        if sample.error is not None:
            self.count("samples failed", bare(sample.error.message))
            return
        skipped = sample.store_as(RetrievalTrace).skipped
        if skipped:
            self.count("samples skipped", skipped)
            return
        if sample.limit is not None:
            return
        ending = _ENDINGS.get(sample.output.stop_reason)
        if ending:
            self.count(ending)
        elif not sample.output.completion.strip():
            self.count("empty answers, also after a retry")

    def lines(self) -> list[str]:
        """Return a line for each kind of fault, with its count, the most frequent first."""
        return [
            printable(f"{key[0]} ({number:,}){self._reasons[key]}")
            for key, number in self._counts.most_common()
        ]

    def name_absent(self) -> None:
        """Report each model that is silent for too long, and again whenever that time doubles."""
        for name, provider in list(self._providers.items()):
            seconds = monotonic() - provider.since
            first = SILENT if provider.error is None else FAILING
            if not provider.calls or seconds < (provider.after or first):
                continue
            provider.after = 2 * seconds
            place_suffix = f" at {provider.address}" if provider.address else ""
            line = (
                f"{name}{place_suffix} has not answered for {seconds:.0f} s "
                f"({provider.error or 'no error, no reply'}"
                f"{through(provider.address or 'https://model')}); still "
                f"trying, Ctrl-C stops{' and keeps finished work' if self.stops else ''}"
            )
            _log.warning(line)
            if get_console().quiet:  # without Inspect's display the log is not shown
                echo(line, err=True)


def address_of(model: Model) -> str:
    """Return the address of a model's provider; empty if it has none."""
    address = model.api.base_url or getattr(getattr(model.api, "client", None), "base_url", "")
    return str(address).rstrip("/")


def _is_cancelled(sample: EvalSample) -> bool:
    """Return whether a sample was cancelled, e.g. by an interrupt."""
    return sample.error is not None and sample.error.message.startswith(_CANCELLED)
