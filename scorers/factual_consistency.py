"""Scorer `factual_consistency` by file.

`inspect score LOG --scorer scorers/factual_consistency.py`
"""

from arag_inspect._registry import scorer


@scorer
def factual_consistency() -> None: ...
