"""Name the scorer `geval_coverage` by its file: `--scorer scorers/geval_coverage.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.geval_coverage`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def geval_coverage() -> None: ...
