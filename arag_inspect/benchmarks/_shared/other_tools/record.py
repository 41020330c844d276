"""A question of an exported file with its other fields."""

from dataclasses import dataclass, field
from typing import Any

from arag_inspect.benchmark.rows import SourceRow


@dataclass(slots=True)
class Record:
    """A question of a file with its other fields."""

    record_id: str
    question: str
    row: SourceRow
    references: tuple[str, ...] = ()
    answer_parts: tuple[str, ...] = ()
    """Parts that a correct answer must all contain."""

    answer: str = ""
    passages: tuple[str, ...] = ()
    """Passages that the system read."""

    has_read_nothing: bool = False
    """Whether the list of passages is given and empty."""

    evidence: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    """Pages of the documents with the evidence, from 1."""

    question_type: str = ""
    group: str = ""
    system: str = ""
    session: str = ""
    error: str = ""
    """Error of the call, as stated in the file."""

    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    """Scores of other tools, by origin and name; None if missing."""

    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The system that answered, else the session."""
        return self.system or self.session

    @property
    def has_failed(self) -> bool:
        """Whether the call ended with an error and without an answer."""
        return bool(self.error) and not self.answer

    @property
    def is_unanswerable(self) -> bool:
        """Whether the documents lack an answer."""
        return self.question_type == "unanswerable"
