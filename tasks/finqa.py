"""Task `finqa` by file: `inspect eval tasks/finqa.py`."""

from arag_inspect._registry import task


@task
def finqa() -> None: ...
