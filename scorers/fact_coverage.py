"""Scorer `fact_coverage` by file: `inspect score LOG --scorer scorers/fact_coverage.py`."""

from arag_inspect._registry import scorer


@scorer
def fact_coverage() -> None: ...
