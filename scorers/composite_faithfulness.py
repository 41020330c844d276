"""Name the scorer `composite_faithfulness` by file: `--scorer scorers/composite_faithfulness.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.composite_faithfulness`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def composite_faithfulness() -> None: ...
