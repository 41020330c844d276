"""Scorer `schema_validity` by file: `inspect score LOG --scorer scorers/schema_validity.py`."""

from arag_inspect._registry import scorer


@scorer
def schema_validity() -> None: ...
