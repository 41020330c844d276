"""Scorer `geval_faithfulness` by file.

`inspect score LOG --scorer scorers/geval_faithfulness.py`
"""

from arag_inspect._registry import scorer


@scorer
def geval_faithfulness() -> None: ...
