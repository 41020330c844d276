"""Solver `external` by file: `--solver solvers/external.py`."""

from arag_inspect._registry import solver


@solver
def external() -> None: ...
