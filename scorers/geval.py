"""Name the scorer `geval` by its file: `--scorer scorers/geval.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.geval`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def geval() -> None: ...
