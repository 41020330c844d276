"""Scorer `contain_match` by file: `inspect score LOG --scorer scorers/contain_match.py`."""

from arag_inspect._registry import scorer


@scorer
def contain_match() -> None: ...
