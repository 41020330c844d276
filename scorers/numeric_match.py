"""Scorer `numeric_match` by file: `inspect score LOG --scorer scorers/numeric_match.py`."""

from arag_inspect._registry import scorer


@scorer
def numeric_match() -> None: ...
