"""Solver `replay` by file: `--solver solvers/replay.py`."""

from arag_inspect._registry import solver


@solver
def replay() -> None: ...
