"""Name the scorer `nli_contradiction` by its file: `--scorer scorers/nli_contradiction.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.nli_contradiction`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def nli_contradiction() -> None: ...
