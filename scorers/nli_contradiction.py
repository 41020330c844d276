"""Scorer `nli_contradiction` by file: `inspect score LOG --scorer scorers/nli_contradiction.py`."""

from arag_inspect._registry import scorer


@scorer
def nli_contradiction() -> None: ...
