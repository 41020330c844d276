"""Name the solver `naive_rag` by its file: `--solver solvers/naive_rag.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.naive_rag`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def naive_rag() -> None: ...
