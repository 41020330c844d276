"""Scorer `context_recall` by file: `inspect score LOG --scorer scorers/context_recall.py`."""

from arag_inspect._registry import scorer


@scorer
def context_recall() -> None: ...
