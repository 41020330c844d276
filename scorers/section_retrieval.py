"""Name the scorer `section_retrieval` by its file: `--scorer scorers/section_retrieval.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.section_retrieval`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def section_retrieval() -> None: ...
