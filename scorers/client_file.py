"""Name the scorer `client_file` by its file: `--scorer scorers/client_file.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.client_file`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def client_file() -> None: ...
