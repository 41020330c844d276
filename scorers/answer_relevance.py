"""Name the scorer `answer_relevance` by its file: `--scorer scorers/answer_relevance.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.answer_relevance`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def answer_relevance() -> None: ...
