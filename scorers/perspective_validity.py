"""Scorer `perspective_validity` by file.

`inspect score LOG --scorer scorers/perspective_validity.py`
"""

from arag_inspect._registry import scorer


@scorer
def perspective_validity() -> None: ...
