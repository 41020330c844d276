"""Two annual filings of a company, compared."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.datasets.financebench.samples import YOY
from arag_inspect.solvers import Scope, System, system_solver
from arag_inspect.solvers.arag import ALL_TOOLS
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import summary_scorers


@task
def yoy_change(
    *,
    system: System = "arag",
    corpus: str = "financebench",
    target_length: int = 250,
    max_loops: int = 22,
    max_token_budget: int = 200_000,
    top_k: int = 10,
    tools: str | Sequence[str] = ALL_TOOLS,
    scope: Scope = "document",
    max_tokens: int = 180_000,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """What changed materially between two annual filings of a company, of consecutive years.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    There is no reference: overlap and coverage are unscored. Gold for
    retrieval are both discussions by management. By default the two filings
    alone are searched, and naive RAG searches each of them.

    Args:
        system: arag, naive_rag, stuffing or closed_book; Inspect's `--solver` overrides it.
        corpus: Name or path of the prepared corpus.
        target_length: Words that a comparison should have, about.
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
    return assemble(
        corpus,
        prepared_dataset(
            corpus,
            dataset="financebench",
            split=None,
            prepare="arag-inspect prepare financebench",
            target_length=target_length,
            samples=YOY,
            without="no company has annual filings of two consecutive years in it; prepare others",
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
        summary_scorers(scorers, comparison=True),
    )
