"""Task `advisor_facts` by file: `inspect eval tasks/advisor_facts.py`."""

from arag_inspect._registry import task


@task
def advisor_facts() -> None: ...
