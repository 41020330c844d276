"""Name the scorer `obedience` by its file: `--scorer scorers/obedience.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.obedience`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def obedience() -> None: ...
