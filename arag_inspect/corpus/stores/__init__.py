"""Stores of the chunks and vectors of a prepared folder, and their search."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..address import data_root, is_service
from ..chunks import Chunk
from ..manifest import Manifest

if TYPE_CHECKING:
    from .lance.store import LanceStore
    from .local import LocalStore
    from .remote import RemoteStore

Store: TypeAlias = "LocalStore | LanceStore | RemoteStore"
"""Chunks to read by id or document, and to search by keyword or vector."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on chunks; all that are set must hold."""

    doc_ids: tuple[str, ...] | None = None
    """Documents; None for all."""

    company: str | None = None
    period: str | None = None

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


def open_store(path: Path, manifest: Manifest) -> Store:
    """Open the store of a prepared folder, or of the mirror of one.

    The methods of all stores are thread-safe, and may read from disk or network.

    Raises:
        InputError: Its parts do not fit together, or its engine is not installed.
    """
    if is_service(data_root(path)):
        from .remote import RemoteStore

        return RemoteStore(path, manifest)
    if manifest.lance is not None:
        from .lance.store import LanceStore

        return LanceStore(path, manifest)
    from .local import LocalStore

    return LocalStore(path, manifest)
