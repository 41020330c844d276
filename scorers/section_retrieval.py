"""Scorer `section_retrieval` by file: `inspect score LOG --scorer scorers/section_retrieval.py`."""

from arag_inspect._registry import scorer


@scorer
def section_retrieval() -> None: ...
