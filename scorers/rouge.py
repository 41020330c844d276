"""Name the scorer `rouge` by its file: `--scorer scorers/rouge.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.rouge`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def rouge() -> None: ...
