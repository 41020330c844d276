"""Scorer `citation_accuracy` by file: `inspect score LOG --scorer scorers/citation_accuracy.py`."""

from arag_inspect._registry import scorer


@scorer
def citation_accuracy() -> None: ...
