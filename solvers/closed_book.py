"""Name the solver `closed_book` by its file: `--solver solvers/closed_book.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.closed_book`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def closed_book() -> None: ...
