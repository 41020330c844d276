"""Name the solver `oracle` by its file: `--solver solvers/oracle.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.oracle`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def oracle() -> None: ...
