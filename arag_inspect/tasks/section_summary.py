"""Summaries of one section of a filing."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect._util.errors import InputError
from arag_inspect.datasets.financebench.samples import SECTIONS
from arag_inspect.solvers import Scope, System, system_solver
from arag_inspect.solvers.arag import ALL_TOOLS
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import summary_scorers


@task
def section_summary(
    *,
    system: System = "arag",
    corpus: str = "financebench",
    section: str | None = None,
    target_length: int = 300,
    max_loops: int = 22,
    max_token_budget: int = 200_000,
    top_k: int = 5,
    tools: str | Sequence[str] = ALL_TOOLS,
    scope: Scope = "corpus",
    max_tokens: int = 180_000,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of one named section of a filing, in 200 to 400 words.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    There is no reference: overlap and coverage are unscored. Gold for
    retrieval are all chunks of the section.

    Args:
        system: arag, naive_rag, stuffing or closed_book; Inspect's `--solver` overrides it.
        corpus: Name or path of the prepared corpus.
        section: Only this section, e.g. `Risk Factors`; None takes each that is long enough.
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
        samples=SECTIONS,
        without="no section of its documents is long enough to be summarized",
    )
    if section is not None:
        known = sorted({str((sample.metadata or {}).get("section")) for sample in dataset})
        if section not in known:
            raise InputError(f"section {section!r} is unknown; choose from {', '.join(known)}")
        dataset = dataset.filter(lambda sample: (sample.metadata or {}).get("section") == section)
    return assemble(
        corpus,
        dataset,
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
