"""Scorer `llm_accuracy` by file: `inspect score LOG --scorer scorers/llm_accuracy.py`."""

from arag_inspect._registry import scorer


@scorer
def llm_accuracy() -> None: ...
