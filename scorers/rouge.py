"""Scorer `rouge` by file: `inspect score LOG --scorer scorers/rouge.py`."""

from arag_inspect._registry import scorer


@scorer
def rouge() -> None: ...
