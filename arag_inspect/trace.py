"""What a solver leaves behind for the scorers."""

from typing import Literal

from inspect_ai.model import ModelOutput
from inspect_ai.util import StoreModel
from pydantic import BaseModel, Field

StoppedBy = Literal["answer", "max_loops", "token_budget", "skipped", "error"]
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


class RetrievalTrace(StoreModel):
    """How a system came to its answer; lives in the sample's store and so in the log.

    Tokens, dollars and latency are those of the system under test alone: it is
    filled before any scorer runs.
    """

    system: str = ""
    """Solver that answered: `arag`, `naive_rag`, `stuffing`, `closed_book`, `replay`."""

    context: Context = "unknown"
    """What the passages are: chunks that were retrieved, the whole document, nothing at all, or not known."""

    searches: list[Search] = Field(default_factory=list)
    passages: list[Passage] = Field(default_factory=list)
    """What was read, in the order of first reading; no chunk twice."""

    loops: int = 0
    """Calls of the model, the forced last one included."""

    stopped_by: StoppedBy | None = None
    skipped: str | None = None
    """Why the sample was not answered; scorers leave it unscored."""

    latency_ms: float | None = None
    """Working time of the solver: without waits for a free connection or between retries."""

    input_tokens: int = 0
    """Tokens sent, those read from or written to the provider's cache included."""

    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """None as soon as one call had no known price."""

    def count(self, output: ModelOutput) -> None:
        """Add the tokens and dollars of a call."""
        usage = output.usage
        if usage is None:
            self.cost_usd = None
            return
        cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        self.input_tokens += usage.input_tokens + cached
        self.output_tokens += usage.output_tokens
        if self.cost_usd is not None:
            self.cost_usd = None if usage.total_cost is None else self.cost_usd + usage.total_cost

    def unread(self, chunk_ids: list[int]) -> list[int]:
        """Those of the chunks that have not been read yet, in order and without repetition."""
        read = {passage.chunk_id for passage in self.passages}
        return [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in read]
