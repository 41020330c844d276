"""Name the scorer `citation_recall` by its file: `--scorer scorers/citation_recall.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.citation_recall`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def citation_recall() -> None: ...
