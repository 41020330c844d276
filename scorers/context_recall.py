"""Name the scorer `context_recall` by its file: `--scorer scorers/context_recall.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.context_recall`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def context_recall() -> None: ...
