"""Name the task `financebench` by its file: `inspect eval tasks/financebench.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.financebench`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def financebench() -> None: ...
