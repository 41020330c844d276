"""ECTSum: summaries of earnings calls."""

from collections.abc import Sequence
from typing import get_args

from inspect_ai import Task, task

from arag_inspect._util.errors import check_choice
from arag_inspect.datasets.ectsum import Split
from arag_inspect.solvers import System, system_solver
from arag_inspect.solvers.arag import ALL_TOOLS
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import summary_scorers


@task
def ectsum(
    *,
    split: str = "test",
    system: System = "arag",
    corpus: str | None = None,
    target_length: int = 75,
    max_loops: int = 22,
    max_token_budget: int = 200_000,
    top_k: int = 5,
    tools: str | Sequence[str] = ALL_TOOLS,
    max_tokens: int = 180_000,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of earnings calls (ECTSum, Mukherjee et al., EMNLP 2022).

    Prepare the corpus first: `arag-inspect prepare ectsum --split test`.

    Args:
        split: test (495 calls), val (249) or train (1,681).
        system: arag, naive_rag, stuffing or closed_book; Inspect's `--solver` overrides it.
        corpus: Name or path of the prepared corpus. Default `ectsum-<split>`.
        target_length: Words that a summary should have, about.
        max_loops: A-RAG: most rounds.
        max_token_budget: A-RAG: largest conversation, in tokens.
        top_k: Results of a search: of naive RAG's only one, and of A-RAG's where the model does not say.
        tools: A-RAG: tools to give, for ablations.
        max_tokens: Stuffing: longest call, in tokens of the corpus's tokenizer.
        scorers: Names of scorers, or `default`, `program` (no grader is asked), `all`.

    Model Roles:
        grader: Judges what the scorers ask. Default claude-haiku-4-5.
    """
    check_choice("split", split, get_args(Split))
    corpus = corpus or f"ectsum-{split}"
    return assemble(
        corpus,
        prepared_dataset(
            corpus,
            dataset="ectsum",
            split=split,
            prepare=f"arag-inspect prepare ectsum --split {split}",
            target_length=target_length,
        ),
        system_solver(
            system,
            max_loops=max_loops,
            max_token_budget=max_token_budget,
            top_k=top_k,
            tools=tools,
            max_tokens=max_tokens,
        ),
        summary_scorers(scorers),
    )
