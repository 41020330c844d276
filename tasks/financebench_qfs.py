"""Name the task `financebench_qfs` by its file: `inspect eval tasks/financebench_qfs.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.financebench_qfs`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def financebench_qfs() -> None: ...
