"""Name the scorer `retrieval_pr` by its file: `--scorer scorers/retrieval_pr.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.retrieval_pr`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def retrieval_pr() -> None: ...
