"""Name the scorer `llm_accuracy` by its file: `--scorer scorers/llm_accuracy.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.llm_accuracy`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def llm_accuracy() -> None: ...
