"""Scorer `estimate_flags` by file: `inspect score LOG --scorer scorers/estimate_flags.py`."""

from arag_inspect._registry import scorer


@scorer
def estimate_flags() -> None: ...
