"""Scorer `context_relevance` by file: `inspect score LOG --scorer scorers/context_relevance.py`."""

from arag_inspect._registry import scorer


@scorer
def context_relevance() -> None: ...
