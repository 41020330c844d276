"""Where the documents of a prepared folder come from."""

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field


class Source(BaseModel):
    """Origin of the documents."""

    model_config = ConfigDict(extra="forbid")

    url: str | None = None
    """Address of the source; None if generated here, or read from an unverified local copy."""

    commit: str | None = None
    """Revision of the source."""

    inputs: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of each input file, by its path in the source."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Origin of a prepared folder's contents, and its command."""

    dataset: str
    """Name of the data set, e.g. `ectsum`."""

    split: str = ""
    """Part of the data set."""

    source: Source = field(default_factory=Source)
    prepared_by: str = ""
    """Command that prepares it; by default, the data set's command."""

    @property
    def command(self) -> str:
        """Command that prepares it, for error messages."""
        return self.prepared_by or f"arag-inspect prepare {self.dataset}"
