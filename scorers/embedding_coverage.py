"""Scorer `embedding_coverage` by file.

`inspect score LOG --scorer scorers/embedding_coverage.py`
"""

from arag_inspect._registry import scorer


@scorer
def embedding_coverage() -> None: ...
