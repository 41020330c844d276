"""Task `perspectives` by file: `inspect eval tasks/perspectives.py`."""

from arag_inspect._registry import task


@task
def perspectives() -> None: ...
