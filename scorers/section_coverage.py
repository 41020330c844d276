"""Scorer `section_coverage` by file: `inspect score LOG --scorer scorers/section_coverage.py`."""

from arag_inspect._registry import scorer


@scorer
def section_coverage() -> None: ...
