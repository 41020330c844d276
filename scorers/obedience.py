"""Scorer `obedience` by file: `inspect score LOG --scorer scorers/obedience.py`."""

from arag_inspect._registry import scorer


@scorer
def obedience() -> None: ...
