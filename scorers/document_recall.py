"""Scorer `document_recall` by file: `inspect score LOG --scorer scorers/document_recall.py`."""

from arag_inspect._registry import scorer


@scorer
def document_recall() -> None: ...
