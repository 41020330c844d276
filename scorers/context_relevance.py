"""Name the scorer `context_relevance` by its file: `--scorer scorers/context_relevance.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.context_relevance`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def context_relevance() -> None: ...
