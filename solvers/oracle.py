"""Solver `oracle` by file: `--solver solvers/oracle.py`."""

from arag_inspect._registry import solver


@solver
def oracle() -> None: ...
