"""Name the scorer `efficiency` by its file: `--scorer scorers/efficiency.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.efficiency`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def efficiency() -> None: ...
