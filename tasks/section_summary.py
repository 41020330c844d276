"""Name the task `section_summary` by its file: `inspect eval tasks/section_summary.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.section_summary`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def section_summary() -> None: ...
