"""List the facts of documents with a grader.

It is a task, so that Inspect handles retries, limits and costs.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..corpus import Chunk
from ..datasets.fact_bank import FactRecord, bank_fact, fact_id
from ..judge.judge import DEFAULT_GRADER
from ..prompts import prompt_file
from ..scorers._facts import list_facts
from ._run_task import FAILED, results_of, write_samples

_TOKENS = 60_000
"""Most tokens of a document per call; a longer one is read part by part."""

_MOST = 20
"""Most facts of a part."""

_FACTS = "facts"

_PROMPT = "judge/list_document_facts"
"""Of a style without a prompt of its own, `judge/list_STYLE_facts`."""


@solver
def list_document_facts(style: str = "earnings_call") -> Solver:
    """Let the model list the facts that a summary or client file should have."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        own = f"judge/list_{style}_facts"
        prompt, nuggets = (own, False) if prompt_file(own) else (_PROMPT, True)
        judgement = await list_facts(
            get_model(), state.input_text, prompt=prompt, nuggets=nuggets, most=_MOST
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
    """Documents whose facts are not all listed, and why."""


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
        style: Kind of answer, which determines what to list.
        options: Further options of `inspect_ai.eval`, e.g. `log_dir`.

    Raises:
        InputError: The run failed as a whole; its log has the reason.
    """
    samples = [
        Sample(id=f"{doc_id}#{number}", input=text)
        for doc_id, chunks in documents.items()
        for number, text in enumerate(_parts(chunks), 1)
    ]
    solver = list_document_facts(style)
    grader = model or DEFAULT_GRADER
    log = write_samples("document_facts", samples, solver, grader, "listing facts", **options)
    parts, reasons = results_of(log, lambda sample: sample.store.get(_FACTS))
    failed = {name.rpartition("#")[0]: reason for name, reason in reasons.items()}
    facts: dict[str, list[FactRecord]] = {}
    for name, listed in parts.items():
        doc_id = name.rpartition("#")[0]
        for fact in listed if doc_id not in failed else ():
            own = facts.setdefault(doc_id, [])
            own.append(
                bank_fact(
                    fact_id(doc_id, "grader", len(own) + 1),
                    doc_id,
                    fact["description"],
                    "grader",
                    documents[doc_id],
                    kind=fact["type"],
                ).model_copy(update={"importance": fact.get("importance")})
            )
    return Listing(log.location, facts, failed)


def _parts(chunks: Sequence[Chunk]) -> list[str]:
    """Split a document into texts of at most `_TOKENS` tokens, if its chunks allow."""
    parts: list[list[Chunk]] = [[]]
    for chunk in chunks:
        if parts[-1] and sum(earlier.tokens for earlier in parts[-1]) + chunk.tokens > _TOKENS:
            parts.append([])
        parts[-1].append(chunk)
    return ["\n".join(chunk.text for chunk in part) for part in parts]
