"""Task `financebench_qfs` by file: `inspect eval tasks/financebench_qfs.py`."""

from arag_inspect._registry import task


@task
def financebench_qfs() -> None: ...
