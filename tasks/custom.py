"""Task `custom` by file: `inspect eval tasks/custom.py`."""

from arag_inspect._registry import task


@task
def custom() -> None: ...
