"""Query-focused summaries of filings."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.datasets.financebench.samples import QFS
from arag_inspect.solvers import Scope, System, system_solver
from arag_inspect.solvers.arag import ALL_TOOLS
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import summary_scorers
from arag_inspect.tasks._silver_references import with_references


@task
def financebench_qfs(
    *,
    system: System = "arag",
    corpus: str = "financebench",
    references: str | None = None,
    target_length: int = 200,
    max_loops: int = 22,
    max_token_budget: int = 200_000,
    top_k: int = 5,
    tools: str | Sequence[str] = ALL_TOOLS,
    scope: Scope = "corpus",
    max_tokens: int = 180_000,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Query-focused summaries of filings: key risk factors, operational highlights.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    References are silver, written by a model that was given the whole
    sections: `arag-inspect references financebench_qfs --model M`. Without
    them, and where a person rejected one, overlap and coverage are unscored.
    Gold for retrieval is partial: the evidence of the benchmark's questions on
    the same filings.

    Args:
        system: arag, naive_rag, stuffing or closed_book; Inspect's `--solver` overrides it.
        corpus: Name or path of the prepared corpus.
        references: Folder with `references.jsonl` and `spot_check.csv`. Default `<corpus>-references` beside the corpus.
        target_length: Words that a summary should have, about.
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
    dataset = prepared_dataset(
        corpus,
        dataset="financebench",
        split=None,
        prepare="arag-inspect prepare financebench",
        target_length=target_length,
        samples=QFS,
        without="no filing in it has risk factors or tells how a year went",
    )
    return assemble(
        corpus,
        with_references(dataset, corpus, references),
        system_solver(
            system,
            max_loops=max_loops,
            max_token_budget=max_token_budget,
            top_k=top_k,
            tools=tools,
            scope=scope,
            max_tokens=max_tokens,
        ),
        summary_scorers(scorers),
    )
