"""Name the solver `reference` by its file: `--solver solvers/reference.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.reference`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def reference() -> None: ...
