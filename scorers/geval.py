"""Scorer `geval` by file: `inspect score LOG --scorer scorers/geval.py`."""

from arag_inspect._registry import scorer


@scorer
def geval() -> None: ...
