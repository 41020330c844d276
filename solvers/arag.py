"""Solver `arag` by file: `--solver solvers/arag.py`."""

from arag_inspect._registry import solver


@solver
def arag() -> None: ...
