"""Name the solver `extract_facts` by its file: `--solver solvers/extract_facts.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.solvers.extract_facts`, which has the code and the parameters.
"""

from arag_inspect._registry import solver


@solver
def extract_facts() -> None: ...
