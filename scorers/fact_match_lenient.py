"""Scorer `fact_match_lenient` by file: `inspect score LOG --scorer scorers/fact_match_lenient.py`."""

from arag_inspect._registry import scorer


@scorer
def fact_match_lenient() -> None: ...
