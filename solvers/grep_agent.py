"""Solver `grep_agent` by file: `--solver solvers/grep_agent.py`."""

from arag_inspect._registry import solver


@solver
def grep_agent() -> None: ...
