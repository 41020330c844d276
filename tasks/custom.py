"""Name the task `custom` by its file: `inspect eval tasks/custom.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.custom`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def custom() -> None: ...
