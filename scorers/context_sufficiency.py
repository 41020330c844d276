"""Name the scorer `context_sufficiency` by its file: `--scorer scorers/context_sufficiency.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.context_sufficiency`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def context_sufficiency() -> None: ...
