"""Name the task `replayed` by its file: `inspect eval tasks/replayed.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.replayed`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def replayed() -> None: ...
