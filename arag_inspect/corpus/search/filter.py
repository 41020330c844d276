"""Conditions on the chunks that a search or a tool may return."""

from dataclasses import dataclass

from ..chunks import Chunk


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on chunks, all of which must be met."""

    doc_ids: tuple[str, ...] | None = None
    """Documents; None for all."""

    company: str | None = None
    period: str | None = None

    def __bool__(self) -> bool:
        """Return whether there is any condition."""
        return self != EVERYTHING

    def allows(self, chunk: Chunk) -> bool:
        """Return whether a chunk meets the conditions."""
        return (
            (self.doc_ids is None or chunk.doc_id in self.doc_ids)
            and self.company in (None, chunk.company)
            and self.period in (None, chunk.period)
        )

    def values(self) -> dict[str, list[str]]:
        """Return the allowed values of each restricted column."""
        columns = {
            "doc_id": self.doc_ids,
            "company": None if self.company is None else (self.company,),
            "period": None if self.period is None else (self.period,),
        }
        return {name: list(values) for name, values in columns.items() if values is not None}


EVERYTHING = Filter()
"""Allows every chunk."""
