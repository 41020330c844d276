"""A user's own documents and questions."""

from collections.abc import Sequence
from typing import Literal, get_args

from inspect_ai import Task, task

from arag_inspect._util.errors import InputError
from arag_inspect.solvers import Scope, System, system_solver
from arag_inspect.solvers.arag import ALL_TOOLS
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import answer_scorers, summary_scorers

Kind = Literal["qa", "summary"]


@task
def custom(
    *,
    corpus: str = "custom",
    kind: Kind = "qa",
    system: System = "arag",
    target_length: int = 150,
    max_loops: int | None = None,
    max_token_budget: int | None = None,
    top_k: int = 5,
    tools: str | Sequence[str] = ALL_TOOLS,
    scope: Scope = "corpus",
    max_tokens: int = 180_000,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Your own questions about your own documents.

    Prepare the corpus first: `arag-inspect prepare custom --documents DIR --questions FILE`.

    Args:
        corpus: Name or path of the prepared corpus.
        kind: qa for answers, summary for summaries that answer the question.
        system: arag, naive_rag, stuffing or closed_book; Inspect's `--solver` overrides it.
        target_length: Words that a summary should have, about.
        max_loops: A-RAG: most rounds. Default 15, for summaries 22.
        max_token_budget: A-RAG: largest conversation, in tokens. Default 128,000, for summaries 200,000.
        top_k: Results of a search: of naive RAG's only one, and of A-RAG's where the model does not say.
        tools: A-RAG: tools to give; with chunk_summarize a model role `summarizer` compresses chunks.
        scope: What is searched: the whole corpus, or only the documents that the sample is about (document).
        max_tokens: Stuffing: longest reading, in tokens of the corpus's tokenizer.
        scorers: Names of scorers, or `default`, `program` (no grader is asked), `all`.

    Model Roles:
        grader: Judges what the scorers ask. Default claude-haiku-4-5.
        summarizer: Compresses chunks, where `tools` names chunk_summarize. Default claude-haiku-4-5.
    """
    if kind not in get_args(Kind):
        raise InputError(f"kind {kind!r} is unknown; choose from {', '.join(get_args(Kind))}")
    summary = kind == "summary"
    return assemble(
        corpus,
        prepared_dataset(
            corpus,
            dataset="custom",
            split=None,
            prepare="arag-inspect prepare custom --documents DIR --questions FILE --name NAME",
            target_length=target_length if summary else None,
            style="query_focused" if summary else None,
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
        summary_scorers(scorers) if summary else answer_scorers(scorers),
    )
