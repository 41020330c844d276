"""Scorer `trend_consistency` by file: `inspect score LOG --scorer scorers/trend_consistency.py`."""

from arag_inspect._registry import scorer


@scorer
def trend_consistency() -> None: ...
