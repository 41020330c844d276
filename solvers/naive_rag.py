"""Solver `naive_rag` by file: `--solver solvers/naive_rag.py`."""

from arag_inspect._registry import solver


@solver
def naive_rag() -> None: ...
