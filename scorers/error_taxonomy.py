"""Scorer `error_taxonomy` by file: `inspect score LOG --scorer scorers/error_taxonomy.py`."""

from arag_inspect._registry import scorer


@scorer
def error_taxonomy() -> None: ...
