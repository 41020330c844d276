"""Name the scorer `embedding_coverage` by its file: `--scorer scorers/embedding_coverage.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.embedding_coverage`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def embedding_coverage() -> None: ...
