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

    evidence: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    """Pages of the documents that hold the evidence, from 1."""

    question_type: str = ""
    group: str = ""
    system: str = ""
    session: str = ""
    error: str = ""
    """What the file says of the error of a call."""

    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    """Scores that another tool gave, by origin and name; None where one is missing."""

    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The system that answered, or else the session."""
        return self.system or self.session

    @property
    def has_failed(self) -> bool:
        """Whether the call ended with an error and gave no answer."""
        return bool(self.error) and not self.answer

    @property
    def is_unanswerable(self) -> bool:
        """Whether the documents have no answer."""
        return self.question_type == "unanswerable"
