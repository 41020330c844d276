"""Name the scorer `fact_match` by its file: `--scorer scorers/fact_match.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.fact_match`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def fact_match() -> None: ...
