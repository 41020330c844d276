"""Scorer `citation_recall` by file: `inspect score LOG --scorer scorers/citation_recall.py`."""

from arag_inspect._registry import scorer


@scorer
def citation_recall() -> None: ...
