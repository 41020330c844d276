"""Name the task `yoy_change` by its file: `inspect eval tasks/yoy_change.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.yoy_change`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def yoy_change() -> None: ...
