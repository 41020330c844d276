"""Court opinions: summaries of judgments with concurrences and dissents."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.solvers import System, system_solver
from arag_inspect.solvers.arag import ALL_TOOLS
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import legal_scorers


@task
def legal_cases(
    *,
    corpus: str = "legal",
    system: System = "stuffing",
    target_length: int = 250,
    max_loops: int = 22,
    max_token_budget: int = 200_000,
    top_k: int = 5,
    tools: str | Sequence[str] = ALL_TOOLS,
    max_tokens: int = 180_000,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of court opinions, and how faithful they are.

    Prepare the corpus first: `arag-inspect prepare legal`.

    Args:
        corpus: Name or path of the prepared corpus.
        system: arag, naive_rag, stuffing or closed_book; Inspect's `--solver` overrides it.
        target_length: Words that a summary should have, about.
        max_loops: A-RAG: most rounds.
        max_token_budget: A-RAG: largest conversation, in tokens.
        top_k: Results of a search: of naive RAG's only one, and of A-RAG's where the model does not say.
        tools: A-RAG: tools to give, for ablations.
        max_tokens: Stuffing: longest opinion, in tokens of the corpus's tokenizer.
        scorers: Names of scorers, or `default`, `program` (no grader is asked), `all`.

    Model Roles:
        grader: Judges what the scorers ask; several are a panel. Default claude-haiku-4-5.
    """
    return assemble(
        corpus,
        prepared_dataset(
            corpus,
            dataset="legal",
            split=None,
            prepare="arag-inspect prepare legal",
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
        legal_scorers(scorers),
        taxonomy="legal",
    )
