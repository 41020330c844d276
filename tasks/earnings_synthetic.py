"""Name the task `earnings_synthetic` by its file: `inspect eval tasks/earnings_synthetic.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.earnings_synthetic`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def earnings_synthetic() -> None: ...
