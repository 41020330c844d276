"""Scorer `evidence_support` by file: `inspect score LOG --scorer scorers/evidence_support.py`."""

from arag_inspect._registry import scorer


@scorer
def evidence_support() -> None: ...
