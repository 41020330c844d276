"""DocFinQA: numeric questions about a whole filing."""

from collections.abc import Sequence
from typing import get_args

from inspect_ai import Task, task

from arag_inspect._util.errors import check_choice
from arag_inspect.datasets.docfinqa import Split
from arag_inspect.solvers import Scope, System, system_solver
from arag_inspect.solvers.arag import ALL_TOOLS
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import answer_scorers


@task
def docfinqa(
    *,
    split: str = "test",
    system: System = "arag",
    corpus: str | None = None,
    max_loops: int = 15,
    max_token_budget: int = 128_000,
    top_k: int = 5,
    tools: str | Sequence[str] = ALL_TOOLS,
    scope: Scope = "document",
    max_tokens: int = 180_000,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Numeric questions about a whole filing (DocFinQA, Reddy et al., ACL 2024).

    Prepare the corpus first: `arag-inspect prepare docfinqa --split test`.

    Args:
        split: test (922 questions), dev (780) or train (5,735).
        system: arag, naive_rag, stuffing or closed_book; Inspect's `--solver` overrides it.
        corpus: Name or path of the prepared corpus. Default `docfinqa-<split>`.
        max_loops: A-RAG: most rounds.
        max_token_budget: A-RAG: largest conversation, in tokens.
        top_k: Results of a search: of naive RAG's only one, and of A-RAG's where the model does not say.
        tools: A-RAG: tools to give; with chunk_summarize a model role `summarizer` compresses chunks.
        scope: What is searched: the whole corpus, or only the documents that the sample is about (document). By default the sample's filing, because questions do not name it.
        max_tokens: Stuffing: longest filing, in tokens of the corpus's tokenizer.
        scorers: Names of scorers, or `default`, `program` (no grader is asked), `all`.

    Model Roles:
        grader: Judges what the scorers ask. Default claude-haiku-4-5.
        summarizer: Compresses chunks, where `tools` names chunk_summarize. Default claude-haiku-4-5.
    """
    check_choice("split", split, get_args(Split))
    corpus = corpus or f"docfinqa-{split}"
    return assemble(
        corpus,
        prepared_dataset(
            corpus,
            dataset="docfinqa",
            split=split,
            prepare=f"arag-inspect prepare docfinqa --split {split}",
        ),
        system_solver(
            system,
            max_loops=max_loops,
            max_token_budget=max_token_budget,
            top_k=top_k,
            tools=tools,
            scope=scope,
            max_tokens=max_tokens,
        ),
        answer_scorers(scorers, numeric=True),
    )
