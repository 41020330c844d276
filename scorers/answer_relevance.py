"""Scorer `answer_relevance` by file: `inspect score LOG --scorer scorers/answer_relevance.py`."""

from arag_inspect._registry import scorer


@scorer
def answer_relevance() -> None: ...
