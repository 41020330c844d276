"""Task `financebench` by file: `inspect eval tasks/financebench.py`."""

from arag_inspect._registry import task


@task
def financebench() -> None: ...
