"""Name the scorer `evidence_support` by its file: `--scorer scorers/evidence_support.py`.

Inspect looks for decorated functions in a file. This stub stands for
`arag_inspect.scorers.evidence_support`, which has the code and the parameters.
"""

from arag_inspect._registry import scorer


@scorer
def evidence_support() -> None: ...
