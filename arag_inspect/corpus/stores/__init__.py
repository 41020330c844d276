"""Stores of a prepared folder's chunks and vectors, and searches over them."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..address import is_service
from ..mirror import data_root
from ..prepared.manifest import Manifest
from .local import LocalStore

if TYPE_CHECKING:
    from .lance.store import LanceStore
    from .remote import RemoteStore

Store: TypeAlias = "LocalStore | LanceStore | RemoteStore"
"""Chunks that can be read by id or document, and searched by keyword or vector."""


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
    return LocalStore(path, manifest)
