"""Stores of the chunks and vectors of a prepared folder, and their search."""

from .filter import Filter
from .store import Store, open_store

__all__ = ["Filter", "Store", "open_store"]
