"""Name the scorer `support` by its file: `--scorer scorers/support.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.support`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def support() -> None: ...
