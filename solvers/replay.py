"""Name the solver `replay` by its file: `--solver solvers/replay.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.replay`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def replay() -> None: ...
