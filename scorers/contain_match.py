"""Name the scorer `contain_match` by its file: `--scorer scorers/contain_match.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.contain_match`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def contain_match() -> None: ...
