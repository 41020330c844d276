"""Name the scorer `numeric_match` by its file: `--scorer scorers/numeric_match.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.numeric_match`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def numeric_match() -> None: ...
