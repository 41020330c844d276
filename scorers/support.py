"""Scorer `support` by file: `inspect score LOG --scorer scorers/support.py`."""

from arag_inspect._registry import scorer


@scorer
def support() -> None: ...
