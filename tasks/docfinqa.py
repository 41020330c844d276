"""Name the task `docfinqa` by its file: `inspect eval tasks/docfinqa.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.docfinqa`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def docfinqa() -> None: ...
