"""Task `ectsum` by file: `inspect eval tasks/ectsum.py`."""

from arag_inspect._registry import task


@task
def ectsum() -> None: ...
