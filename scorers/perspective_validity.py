"""Name the scorer `perspective_validity` by its file: `--scorer scorers/perspective_validity.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.perspective_validity`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def perspective_validity() -> None: ...
