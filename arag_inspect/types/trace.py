"""The record of a run that solvers leave for scorers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from inspect_ai.event import Event, ModelEvent, SpanBeginEvent, StoreEvent, ToolEvent
from inspect_ai.log import EvalSample, resolve_sample_attachments, transcript
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.solver import TaskState
from inspect_ai.util import StoreModel, store_as, store_from_events
from pydantic import BaseModel, Field
from pydantic.dataclasses import dataclass

from .system import ARAG, EXTERNAL, GREP_AGENT, REPLAY, ContextSource

StoppedBy = Literal["answer", "max_loops", "token_budget", "limit", "skipped", "error"]
"""`max_loops` and `token_budget` are the system's own limits; `limit` is one of Inspect's."""

TRACE_PREFIX = "RetrievalTrace:"
"""Prefix of a record's keys in the store."""


@dataclass(slots=True)
class Search:
    """One search call."""

    tool: str
    """`keyword_search` or `semantic_search`."""

    query: str | list[str]
    chunk_ids: list[int]
    """Chunks found, best first."""

    scores: list[float]
    """Score of each chunk."""

    loop: int
    """Loop of the agent, from 1."""


@dataclass(slots=True)
class Passage:
    """A chunk read by the model under test.

    Attributes:
        chunk_id: Number of the chunk, unique across documents, as in the sample's `gold_chunk_ids`;
            a negative number for a text that is not in a chunk of the corpus.
        doc_id: Its document, as in the sample's `doc_ids`; empty if not known.
        prefix: Line above the text in a prompt, such as company and period.
        text: Its text; empty if not known.
        loop: Loop of the agent, from 1; 0 if not known.
        how: `read`: the model saw the whole chunk. `summarized`: it saw a summary by
            `chunk_summarize` (`text` is still the whole chunk), or only the part that a live system
            or an added tool returned.
        part: Place of the chunk in its document: `2/4` is the second of four; empty if not known.
    """

    chunk_id: int
    doc_id: str = ""
    prefix: str = ""
    text: str = ""
    loop: int = 0
    how: Literal["read", "summarized"] = "read"
    part: str = ""

    @property
    def text_below_table_head(self) -> str:
        """Its text, after its prefix if that has the columns of a table that the text continues."""
        head = self.prefix.partition("TABLE: ")[2]
        return f"{self.prefix}{self.text}" if "|" in head else self.text

    @property
    def is_chunk(self) -> bool:
        """Whether it is a chunk of the corpus, and not another text that the model read."""
        return self.chunk_id >= 0


@dataclass(slots=True)
class ReturnedPassage:
    """A passage that a live system returned, which may be a part of one chunk or of several."""

    chunk_ids: list[int]
    """Its chunks, as in `Passage`."""

    given_id: int | None = None
    """The chunk id that the system gave for it, possibly from its own index."""


class TraceRecord(BaseModel):
    """How a system arrived at its answer.

    Tokens, dollars and latency concern only the system under test: the record is complete before
    any scorer runs.
    """

    system: str = ""
    """Solver that answered: `arag`, `grep_agent`, `naive_rag`, `stuffing`, `closed_book`, `oracle`,
    `external`, `replay`."""

    corpus_sha256: str | None = None
    """SHA-256 that identifies the chunks of the sample's corpus; None without a corpus, and in
    records of earlier versions."""

    code_sha256: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of the user's code that answered, by file or module."""

    context: ContextSource = "unknown"
    """Kind of passages: retrieved chunks, the whole document, gold evidence, none, or unknown."""

    searches: list[Search] = Field(default_factory=list)
    reranked_in: str | None = None
    """Arithmetic of the cross-encoder that ordered the chunks found, e.g. `float32`; None without
    one."""

    passages: list[Passage] = Field(default_factory=list)
    """Chunks read, in the order of first reading, without repetition."""

    returned: list[ReturnedPassage] = Field(default_factory=list)
    """Passages of a live system in its order, by whose number or id its answer cites them."""

    reads_once: bool = False
    """Whether the system reads once and then answers, by design; an agent decides when to stop."""

    loops: int = 0
    """Rounds of model call and tool calls, including a round that an Inspect limit interrupts."""

    stopped_by: StoppedBy | None = None
    skipped: str | None = None
    """Why the sample has no answer; scorers leave it unscored."""

    skipped_tokens: int | None = None
    """Tokens of the document if the sample was skipped because it is too long."""

    latency_ms: float | None = None
    """Working time of the solver in milliseconds, without waits for connections, between retries or
    for `--max-dollars`; None in batch mode, which is mostly waiting, and if a cache answered.
    """

    wall_ms: float | None = None
    """Wall clock from the first call to the answer in milliseconds, waits included."""

    input_tokens: int = 0
    """Tokens sent, including tokens read from or written to the provider's cache."""

    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """Price of all calls, including calls that Inspect's cache answered, with a provider's discount
    in batch mode; None if any price is unknown.
    """

    cached_calls: int = 0
    """Calls that Inspect's cache answered, which cost nothing here."""

    cached_usd: float = 0.0
    """Share of cached calls in `cost_usd`, in dollars."""

    @property
    def decides_when_to_stop(self) -> bool:
        """Whether the system is an agent of this package, which stops when it has read enough."""
        return self.system in (ARAG.name, GREP_AGENT.name)

    @property
    def withholds_passages(self) -> bool:
        """Whether a live system answered without reporting passages."""
        return self.system == EXTERNAL.name and self.context == "none"

    @property
    def has_unknown_passages(self) -> bool:
        """Whether the system may have read passages that it does not report."""
        return self.withholds_passages or self.system == REPLAY.name

    def unread(self, chunk_ids: list[int]) -> list[int]:
        """Return the chunks that have not been read in full, in order, without repetition."""
        ids_read = {passage.chunk_id for passage in self.passages if passage.how == "read"}
        return [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in ids_read]

    def add(self, passages: Iterable[Passage]) -> None:
        """Add chunks that were read in full; chunks read in part keep their position and loop."""
        positions = {passage.chunk_id: position for position, passage in enumerate(self.passages)}
        for passage in passages:
            position = positions.get(passage.chunk_id)
            if position is None:
                self.passages.append(passage)
            else:
                self.passages[position] = replace(passage, loop=self.passages[position].loop)


class RetrievalTrace(TraceRecord, StoreModel):
    """The record in the sample's store: `state.store_as(RetrievalTrace)`.

    A solver of your own sets `passages`; all other fields are optional. Without `system` and
    `loops`, loops, tokens, dollars and times come from Inspect's events.

    Attributes:
        passages: `Passage`s read, in the order of first reading, without repetition.
        searches: Search calls, with the chunks found by each.
        context: Kind of passages: `retrieved`, `document` (all of it), `gold`, `none`, `unknown`.
        system: Name of the solver, if it is one of this package.
        loops: Rounds of model call and tool calls.
        skipped: Why the sample has no answer; scorers leave it unscored.
        skipped_tokens: Tokens of a document that was too long to read.
    """


_RECORDING: ContextVar[TraceRecord | None] = ContextVar("arag_inspect_trace", default=None)


@contextmanager
def recording(state: TaskState) -> Iterator[TraceRecord]:
    """Keep a record while a solver runs; store it when the solver ends or fails.

    A plain object until then, because every access to a store model validates all of it, and every
    change would become a log event.
    """
    record = TraceRecord()
    token = _RECORDING.set(record)
    try:
        yield record
    finally:
        _RECORDING.reset(token)
        state.store_as(RetrievalTrace)
        for name in TraceRecord.model_fields:
            state.store.set(f"{TRACE_PREFIX}{name}", getattr(record, name))


def current_trace() -> TraceRecord:
    """Return the record of the running solver.

    It is the stored record if a tool runs under another solver.
    """
    record = _RECORDING.get()
    return store_as(RetrievalTrace) if record is None else record


class SystemEvents(NamedTuple):
    """Events of the system under test, in the order of the log."""

    events: list[Event]

    rounds: int
    """Model calls outside tools."""


def system_events(events: Iterable[Event]) -> SystemEvents:
    """Return the events of solvers, agents and their tools, without events of scorers."""
    phases: dict[str | None, str] = {}
    selection: list[Event] = []
    rounds = 0
    for event in events:
        if isinstance(event, SpanBeginEvent):
            phase = phases.get(event.parent_id, "")
            is_outermost = phase != "scorers" and event.type in ("solvers", "scorers", "tool")
            phases[event.id] = str(event.type) if is_outermost else phase
        phase = phases.get(event.span_id, "")
        is_judge = isinstance(event, ModelEvent) and event.role == "grader"
        if phase in ("solvers", "tool") and not is_judge:
            selection.append(event)
            rounds += phase == "solvers" and isinstance(event, ModelEvent)
    return SystemEvents(selection, rounds)


def tool_texts(messages: Iterable[ChatMessage], events: Iterable[Event]) -> list[str]:
    """Return the distinct texts that tools returned, including to agents run as tools.

    Text that a model wrote is excluded: a result that repeats an argument of its call, as of
    `submit`, or the reply of another agent.

    Args:
        messages: The conversation.
        events: The log of the sample, which has the calls of the other agents.
    """
    is_read: dict[tuple[str | None, str], bool] = {}
    for event in system_events(events).events:
        if isinstance(event, ToolEvent):
            result: Any = event.result
            content = result if isinstance(result, str | list) else str(result)
            text = ChatMessageTool(content=content).text
            is_agent = event.agent or event.agent_span_id
            is_read[event.id, text] = not is_agent and text not in event.arguments.values()
    arguments: dict[str | None, Mapping[str, Any]] = {}
    for message in messages:
        if isinstance(message, ChatMessageAssistant):
            arguments.update({call.id: call.arguments for call in message.tool_calls or ()})
        elif isinstance(message, ChatMessageTool):
            inputs = arguments.get(message.tool_call_id, {}).values()
            is_read.setdefault((message.tool_call_id, message.text), message.text not in inputs)
    return [text for (_, text), was_read in is_read.items() if was_read and text.strip()]


def current_loop() -> int:
    """Return the loop in which a tool runs, from 1.

    Under a solver without a record, this is the number of model calls so far.
    """
    record = _RECORDING.get()
    if record is not None:
        return record.loops + 1
    return max(1, system_events(transcript().events).rounds)


def read_record(state: TaskState) -> TraceRecord:
    """Return the stored record of a sample, read-only; empty if missing.

    Unlike `store_as`, this does not write, so that scoring changes neither store nor log.
    """
    fields = trace_fields(dict(state.store.items())) or trace_fields(
        stored_trace(transcript().events)
    )
    return TraceRecord.model_validate(fields)


def trace_of(sample: EvalSample) -> TraceRecord:
    """Return the record of a logged sample, from its events if the log crashed."""
    fields = trace_fields(sample.store)
    if not fields:
        fields = trace_fields(stored_trace(resolve_sample_attachments(sample).events))
    return TraceRecord.model_validate(fields)


def stored_trace(events: Sequence[Event]) -> dict[str, Any]:
    """Return the values that a solver stored, from the events of its sample.

    Inspect rebuilds a log that crashed from events, and leaves the store empty.

    Args:
        events: Events with their attachments.

    Returns:
        Values by key of the store; empty without a record.
    """
    if not any(path.startswith(f"/{TRACE_PREFIX}") for path in _changed_paths(events)):
        return {}
    unset = {f"{TRACE_PREFIX}cost_usd": None}  # such events omit None
    return unset | dict(store_from_events(list(events)).items())


def _changed_paths(events: Sequence[Event]) -> Iterator[str]:
    """Yield the paths in the store that the events of a sample change."""
    for event in events:
        if isinstance(event, StoreEvent):
            for change in event.changes:
                yield change.path


def trace_fields(store: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record in a sample's store."""
    return {
        key.removeprefix(TRACE_PREFIX): value
        for key, value in store.items()
        if key.startswith(TRACE_PREFIX)
    }
