"""Name the scorer `abstention` by its file: `--scorer scorers/abstention.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.abstention`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def abstention() -> None: ...
