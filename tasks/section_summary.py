"""Task `section_summary` by file: `inspect eval tasks/section_summary.py`."""

from arag_inspect._registry import task


@task
def section_summary() -> None: ...
