"""Solver `stuffing` by file: `--solver solvers/stuffing.py`."""

from arag_inspect._registry import solver


@solver
def stuffing() -> None: ...
