"""Scorer `answer_match` by file: `inspect score LOG --scorer scorers/answer_match.py`."""

from arag_inspect._registry import scorer


@scorer
def answer_match() -> None: ...
