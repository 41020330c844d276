"""Name the solver `multi_perspective` by its file: `--solver solvers/multi_perspective.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.multi_perspective`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def multi_perspective() -> None: ...
