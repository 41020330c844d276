"""Task `finder` by file: `inspect eval tasks/finder.py`."""

from arag_inspect._registry import task


@task
def finder() -> None: ...
