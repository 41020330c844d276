"""Solver `closed_book` by file: `--solver solvers/closed_book.py`."""

from arag_inspect._registry import solver


@solver
def closed_book() -> None: ...
