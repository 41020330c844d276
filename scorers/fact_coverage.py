"""Name the scorer `fact_coverage` by its file: `--scorer scorers/fact_coverage.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.fact_coverage`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def fact_coverage() -> None: ...
