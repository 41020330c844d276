"""Name the scorer `section_coverage` by its file: `--scorer scorers/section_coverage.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.section_coverage`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def section_coverage() -> None: ...
