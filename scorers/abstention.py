"""Scorer `abstention` by file: `inspect score LOG --scorer scorers/abstention.py`."""

from arag_inspect._registry import scorer


@scorer
def abstention() -> None: ...
