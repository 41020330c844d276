"""Scorer `rubric` by file: `inspect score LOG --scorer scorers/rubric.py`."""

from arag_inspect._registry import scorer


@scorer
def rubric() -> None: ...
