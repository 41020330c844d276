"""Scorer `context_sufficiency` by file.

`inspect score LOG --scorer scorers/context_sufficiency.py`
"""

from arag_inspect._registry import scorer


@scorer
def context_sufficiency() -> None: ...
