"""Name the scorer `bertscore` by its file: `--scorer scorers/bertscore.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.bertscore`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def bertscore() -> None: ...
