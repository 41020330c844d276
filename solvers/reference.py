"""Solver `reference` by file: `--solver solvers/reference.py`."""

from arag_inspect._registry import solver


@solver
def reference() -> None: ...
