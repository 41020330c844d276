"""Scorer `composite_faithfulness` by file.

`inspect score LOG --scorer scorers/composite_faithfulness.py`
"""

from arag_inspect._registry import scorer


@scorer
def composite_faithfulness() -> None: ...
