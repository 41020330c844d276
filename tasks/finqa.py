"""Name the task `finqa` by its file: `inspect eval tasks/finqa.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.finqa`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def finqa() -> None: ...
