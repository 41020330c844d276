"""Scorer `citation_check` by file: `inspect score LOG --scorer scorers/citation_check.py`."""

from arag_inspect._registry import scorer


@scorer
def citation_check() -> None: ...
