"""FinDER: terse questions of finance professionals."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.solvers import Scope, System, system_solver
from arag_inspect.solvers.arag import ALL_TOOLS
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import answer_scorers


@task
def finder(
    *,
    system: System = "arag",
    corpus: str | None = None,
    max_loops: int = 15,
    max_token_budget: int = 128_000,
    top_k: int = 5,
    tools: str | Sequence[str] = ALL_TOOLS,
    scope: Scope = "corpus",
    max_tokens: int = 180_000,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Terse questions of finance professionals about 10-K filings (FinDER, Linq AI Research, 2025).

    Prepare the corpus first: `arag-inspect prepare finder`.

    Args:
        system: arag, naive_rag, stuffing or closed_book; Inspect's `--solver` overrides it.
        corpus: Name or path of the prepared corpus. Default `finder`.
        max_loops: A-RAG: most rounds.
        max_token_budget: A-RAG: largest conversation, in tokens.
        top_k: Results of a search: of naive RAG's only one, and of A-RAG's where the model does not say.
        tools: A-RAG: tools to give; with chunk_summarize a model role `summarizer` compresses chunks.
        scope: What is searched: the whole corpus, or only the documents that the sample is about (document).
        max_tokens: Stuffing: longest reading, in tokens of the corpus's tokenizer.
        scorers: Names of scorers, or `default`, `program` (no grader is asked), `all`.

    Model Roles:
        grader: Judges what the scorers ask. Default claude-haiku-4-5.
        summarizer: Compresses chunks, where `tools` names chunk_summarize. Default claude-haiku-4-5.
    """
    corpus = corpus or "finder"
    return assemble(
        corpus,
        prepared_dataset(
            corpus,
            dataset="finder",
            split=None,
            prepare="arag-inspect prepare finder",
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
        answer_scorers(scorers),
    )
