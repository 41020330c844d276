"""Name the scorer `citation_accuracy` by its file: `--scorer scorers/citation_accuracy.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.citation_accuracy`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def citation_accuracy() -> None: ...
