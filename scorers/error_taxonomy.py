"""Name the scorer `error_taxonomy` by its file: `--scorer scorers/error_taxonomy.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.error_taxonomy`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def error_taxonomy() -> None: ...
