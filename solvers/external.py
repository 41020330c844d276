"""Name the solver `external` by its file: `--solver solvers/external.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.external`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def external() -> None: ...
