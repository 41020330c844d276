"""Name the solver `arag` by its file: `--solver solvers/arag.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.arag`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def arag() -> None: ...
