"""Name the scorer `factual_consistency` by its file: `--scorer scorers/factual_consistency.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.factual_consistency`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def factual_consistency() -> None: ...
