"""Task `legal_cases` by file: `inspect eval tasks/legal_cases.py`."""

from arag_inspect._registry import task


@task
def legal_cases() -> None: ...
