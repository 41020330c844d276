"""Name the task `legal_cases` by its file: `inspect eval tasks/legal_cases.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.legal_cases`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def legal_cases() -> None: ...
