"""Scorer `geval_coverage` by file: `inspect score LOG --scorer scorers/geval_coverage.py`."""

from arag_inspect._registry import scorer


@scorer
def geval_coverage() -> None: ...
