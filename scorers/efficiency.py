"""Scorer `efficiency` by file: `inspect score LOG --scorer scorers/efficiency.py`."""

from arag_inspect._registry import scorer


@scorer
def efficiency() -> None: ...
