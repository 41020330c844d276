"""Scorer `severity_judge` by file: `inspect score LOG --scorer scorers/severity_judge.py`."""

from arag_inspect._registry import scorer


@scorer
def severity_judge() -> None: ...
