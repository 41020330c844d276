"""Name the solver `stuffing` by its file: `--solver solvers/stuffing.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.stuffing`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def stuffing() -> None: ...
