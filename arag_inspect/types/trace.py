"""What a solver leaves behind for the scorers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from inspect_ai.solver import TaskState
from inspect_ai.util import StoreModel, store_as
from pydantic import BaseModel, Field

StoppedBy = Literal["answer", "max_loops", "token_budget", "limit", "skipped", "error"]
"""`max_loops` and `token_budget` are the system's own, `limit` is one of Inspect's."""

Context = Literal["retrieved", "document", "none", "unknown"]


class Search(BaseModel):
    """One call of a search."""

    tool: str
    """`keyword_search` or `semantic_search`."""

    query: str | list[str]
    chunk_ids: list[int]
    """What was found, best first."""

    scores: list[float]
    """Score of each chunk found."""

    loop: int
    """Loop of the agent in which it happened, from 1."""


class Passage(BaseModel):
    """A chunk that the model under test has read."""

    chunk_id: int
    doc_id: str
    prefix: str
    text: str
    loop: int
    """Loop of the agent in which it was read, from 1."""

    how: Literal["read", "summarized"] = "read"
    """In full, or compressed by `chunk_summarize`; the text is the whole chunk's either way."""


class TraceRecord(BaseModel):
    """How a system came to its answer.

    Tokens, dollars and latency are those of the system under test alone: the
    record is complete before any scorer runs.
    """

    system: str = ""
    """Solver that answered: `arag`, `naive_rag`, `stuffing`, `closed_book`, `external`, `replay`."""

    context: Context = "unknown"
    """What the passages are: chunks that were retrieved, the whole document, nothing at all, or not known."""

    searches: list[Search] = Field(default_factory=list)
    passages: list[Passage] = Field(default_factory=list)
    """What was read, in the order of first reading; no chunk twice."""

    loops: int = 0
    """Rounds of model call and tool calls; one that a limit of Inspect's cuts short is counted."""

    stopped_by: StoppedBy | None = None
    skipped: str | None = None
    """Why the sample was not answered; scorers leave it unscored."""

    latency_ms: float | None = None
    """Working time of the solver: without waits for a free connection or between retries; None in batch mode, where it is mostly waiting."""

    input_tokens: int = 0
    """Tokens sent, those read from or written to the provider's cache included."""

    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """None as soon as one call had no known price; in batch mode, with the provider's discount."""

    def unread(self, chunk_ids: list[int]) -> list[int]:
        """Those of the chunks that have not been read in full yet, in order and without repetition."""
        read = {passage.chunk_id for passage in self.passages if passage.how == "read"}
        return [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in read]

    def add(self, passages: Iterable[Passage]) -> None:
        """Add chunks that were read in full; one that was summarized before keeps its place."""
        places = {passage.chunk_id: place for place, passage in enumerate(self.passages)}
        for passage in passages:
            place = places.get(passage.chunk_id)
            if place is None:
                self.passages.append(passage)
            else:
                self.passages[place] = self.passages[place].model_copy(update={"how": "read"})


class RetrievalTrace(TraceRecord, StoreModel):
    """The record in the sample's store, and so in the log: `state.store_as(RetrievalTrace)`."""


_RECORDING: ContextVar[TraceRecord | None] = ContextVar("arag_inspect_trace", default=None)


@contextmanager
def recording(state: TaskState) -> Iterator[TraceRecord]:
    """Keep a record while a solver runs, and put it into the sample's store when it ends, however it ends.

    A plain object in between: every access to a store model validates all of
    it, and every change would become an event of the log.
    """
    record = TraceRecord()
    token = _RECORDING.set(record)
    try:
        yield record
    finally:
        _RECORDING.reset(token)
        stored = state.store_as(RetrievalTrace)
        for name in TraceRecord.model_fields:
            setattr(stored, name, getattr(record, name))


def current_trace() -> TraceRecord:
    """The record of the solver at work; that in the sample's store where a tool runs under another solver."""
    record = _RECORDING.get()
    return store_as(RetrievalTrace) if record is None else record


def recorded(state: TaskState) -> TraceRecord:
    """The record in a sample's store, for reading; an empty one where no solver left any.

    Unlike `store_as` it writes nothing, so that scoring leaves no mark in the store and no event in the log.
    """
    prefix = f"{RetrievalTrace.__name__}:"
    kept = {
        name.removeprefix(prefix): value
        for name, value in state.store.items()
        if name.startswith(prefix)
    }
    return TraceRecord.model_validate(kept)
