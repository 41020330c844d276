"""Let a model list the facts of documents.

This is a task, so that Inspect handles retries, limits and costs.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..._util.progress import SampleProgress
from ...benchmarks._shared.fact_bank import FactRecord, bank_fact, fact_id
from ...corpus import Chunk
from ...judge.panel import DEFAULT_GRADER
from ...measures.fact_lists import list_facts
from ...models.run_task import FAILED, results_of, write_samples
from ...prompts import prompt_file

_PART_TOKENS = 60_000
"""Maximum tokens of a document per call; a longer one is read in parts."""

_MOST_FACTS = 20
"""Maximum number of facts per part."""

_FACTS = "facts"

_PROMPT = "judge/list_document_facts"
"""Prompt for styles without their own `judge/list_STYLE_facts`."""


@solver
def list_document_facts(style: str) -> Solver:
    """Let the model list the facts that a summary or client file should have."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        facts_prompt = f"judge/list_{style}_facts"
        prompt, nuggets = (facts_prompt, False) if prompt_file(facts_prompt) else (_PROMPT, True)
        judgement = await list_facts(
            get_model(), state.input_text, prompt=prompt, nuggets=nuggets, most=_MOST_FACTS
        )
        if judgement.verdict is None:
            state.store.set(FAILED, judgement.reason)
        else:
            state.store.set(_FACTS, [fact.model_dump() for fact in judgement.verdict])
        state.output.completion = judgement.replies[-1]
        return state

    return solve


class Listing(NamedTuple):
    """Facts listed by a grader."""

    location: str
    """Log of the grader."""

    facts: dict[str, list[FactRecord]]
    failed: dict[str, str]
    """Documents with unlisted facts, and why."""


def ask_for_facts(
    documents: Mapping[str, Sequence[Chunk]],
    model: str | None,
    *,
    style: str = "earnings_call",
    **options: Any,
) -> Listing:
    """Ask a grader once for the facts of each document.

    Args:
        documents: Chunks of each document.
        model: Model that lists. Default claude-haiku-4-5.
        style: Kind of answer, which determines the facts to list.
        options: Further options of `inspect_ai.eval`, e.g. `log_dir`.

    Raises:
        InputError: The run failed as a whole; its log has the reason.
    """
    samples = []
    for doc_id, chunks in documents.items():
        for number, text in enumerate(_split_document(chunks), 1):
            samples.append(Sample(id=f"{doc_id}#{number}", input=text))
    solver = list_document_facts(style)
    grader = model or DEFAULT_GRADER
    options = {"display": "none", **options}
    with SampleProgress("Parts of documents listed") as progress:
        log = write_samples(
            "document_facts", samples, solver, grader, "listing facts", progress=progress, **options
        )
    parts, reasons = results_of(log, lambda sample: sample.store.get(_FACTS))
    failed = {name.rpartition("#")[0]: reason for name, reason in reasons.items()}
    facts: dict[str, list[FactRecord]] = {}
    for name, statements in parts.items():
        doc_id = name.rpartition("#")[0]
        if statements and doc_id not in failed:
            document_facts = facts.setdefault(doc_id, [])
            first_number = len(document_facts) + 1
            document_facts += _records(doc_id, statements, documents[doc_id], first_number)
    return Listing(log.location, facts, failed)


def _records(
    doc_id: str, statements: Sequence[Mapping[str, Any]], chunks: Sequence[Chunk], first_number: int
) -> Iterator[FactRecord]:
    """Yield the records of facts that a grader listed, numbered across the parts of a document."""
    for number, fact in enumerate(statements, start=first_number):
        name = fact_id(doc_id, "grader", number)
        record = bank_fact(name, doc_id, fact["description"], "grader", chunks, kind=fact["type"])
        yield record.model_copy(update={"importance": fact.get("importance")})


def _split_document(chunks: Sequence[Chunk]) -> list[str]:
    """Split a document into texts of at most `_PART_TOKENS` tokens, if its chunks allow."""
    parts: list[list[str]] = [[]]
    tokens = 0
    for chunk in chunks:
        if parts[-1] and tokens + chunk.tokens > _PART_TOKENS:
            parts.append([])
            tokens = 0
        parts[-1].append(chunk.text)
        tokens += chunk.tokens
    return ["\n".join(texts) for texts in parts]
