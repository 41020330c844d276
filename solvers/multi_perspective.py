"""Solver `multi_perspective` by file: `--solver solvers/multi_perspective.py`."""

from arag_inspect._registry import solver


@solver
def multi_perspective() -> None: ...
