"""Scorer `fact_match` by file: `inspect score LOG --scorer scorers/fact_match.py`."""

from arag_inspect._registry import scorer


@scorer
def fact_match() -> None: ...
