"""Solver `extract_facts` by file: `--solver solvers/extract_facts.py`."""

from arag_inspect._registry import solver


@solver
def extract_facts() -> None: ...
