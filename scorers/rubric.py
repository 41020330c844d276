"""Name the scorer `rubric` by its file: `--scorer scorers/rubric.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.rubric`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def rubric() -> None: ...
