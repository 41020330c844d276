"""Where the chunks and vectors of a prepared folder are, and how they are searched."""

from .filter import Filter
from .store import Store, open_store

__all__ = ["Filter", "Store", "open_store"]
