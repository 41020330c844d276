"""Name the task `ectsum` by its file: `inspect eval tasks/ectsum.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.ectsum`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def ectsum() -> None: ...
