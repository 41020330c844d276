"""Name the task `advisor_facts` by its file: `inspect eval tasks/advisor_facts.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.tasks.advisor_facts`, which has the code and the parameters.
"""

from arag_inspect._registry import task


@task
def advisor_facts() -> None: ...
