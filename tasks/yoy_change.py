"""Task `yoy_change` by file: `inspect eval tasks/yoy_change.py`."""

from arag_inspect._registry import task


@task
def yoy_change() -> None: ...
