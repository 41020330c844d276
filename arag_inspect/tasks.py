"""The tasks of all benchmark folders: data set, system, scorers, and columns for the log browser.

Common parameters (each task has those that apply to it):
    split: Split of the data set; the corpus of the same split must be prepared.
    system: System under test: arag, grep_agent, naive_rag (also naive_rag_bm25, naive_rag_hybrid),
        stuffing, closed_book, oracle or external. Inspect's `--solver` overrides it.
    system_args: Parameters of that system, as `-T system_args='{top_k: 3, max_loops: 5}'`:
        `max_loops`, `max_token_budget`, `top_k`, `tools`, `retriever`, `rerank` and `scope` of
        arag; `top_k`, `retriever`, `rerank` and `scope` of naive_rag; `max_tokens` of stuffing;
        `target` and others of external; `prompt` of every system except external. See the solvers.
        With `--solver arag_inspect/arag`, give the same parameters as `-S top_k=3`.
    corpus: Name or path of the prepared corpus. Default: the data set's name, with the split.
    target_length: Approximate words of a summary.
    scorers: Comma-separated names of scorers and scorer sets: `default`, `no_grader` (the scorers
        of `default` that need no grader) or `all`.
    scorer_args: Parameters of scorers, as `-T scorer_args='{geval_faithfulness: {scale: "0,10"}}'`.

Model Roles:
    grader: Model that judges for scorers; several form a panel. Default claude-haiku-4-5.
    summarizer: Compresses chunks if A-RAG has the tool chunk_summarize. Default claude-haiku-4-5.
"""

from typing import Any

from .benchmarks import exports

_TASKS = exports("task")
__all__ = sorted(_TASKS)


def __getattr__(name: str) -> Any:
    """Return a task that a benchmark defines."""
    if name in _TASKS:
        return _TASKS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
