"""Scorer `bertscore` by file: `inspect score LOG --scorer scorers/bertscore.py`."""

from arag_inspect._registry import scorer


@scorer
def bertscore() -> None: ...
