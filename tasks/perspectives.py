"""Name the task `perspectives` by its file: `inspect eval tasks/perspectives.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.perspectives`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def perspectives() -> None: ...
