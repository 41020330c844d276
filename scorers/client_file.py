"""Scorer `client_file` by file: `inspect score LOG --scorer scorers/client_file.py`."""

from arag_inspect._registry import scorer


@scorer
def client_file() -> None: ...
