"""Name the scorer `severity_judge` by its file: `--scorer scorers/severity_judge.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.severity_judge`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def severity_judge() -> None: ...
