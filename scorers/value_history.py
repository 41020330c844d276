"""Scorer `value_history` by file: `inspect score LOG --scorer scorers/value_history.py`."""

from arag_inspect._registry import scorer


@scorer
def value_history() -> None: ...
