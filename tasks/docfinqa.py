"""Task `docfinqa` by file: `inspect eval tasks/docfinqa.py`."""

from arag_inspect._registry import task


@task
def docfinqa() -> None: ...
