"""Name the scorer `answer_match` by its file: `--scorer scorers/answer_match.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.answer_match`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def answer_match() -> None: ...
