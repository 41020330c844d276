"""Task `replayed` by file: `inspect eval tasks/replayed.py`."""

from arag_inspect._registry import task


@task
def replayed() -> None: ...
