"""Scorer `retrieval_pr` by file: `inspect score LOG --scorer scorers/retrieval_pr.py`."""

from arag_inspect._registry import scorer


@scorer
def retrieval_pr() -> None: ...
