"""Task `earnings_synthetic` by file: `inspect eval tasks/earnings_synthetic.py`."""

from arag_inspect._registry import task


@task
def earnings_synthetic() -> None: ...
