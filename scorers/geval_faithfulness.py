"""Name the scorer `geval_faithfulness` by its file: `--scorer scorers/geval_faithfulness.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.geval_faithfulness`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def geval_faithfulness() -> None: ...
