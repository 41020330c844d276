"""Name the task `finder` by its file: `inspect eval tasks/finder.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.finder`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def finder() -> None: ...
