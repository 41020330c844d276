"""List the facts of documents with a grader.

It is a task, so that Inspect handles retries, limits and costs.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from .._util.errors import InputError
from ..corpus import Chunk
from ..judge.judge import DEFAULT_GRADER
from ..prompts import prompt_file
from ..scorers._facts import ListedFact, list_facts

_TOKENS = 60_000
"""Most tokens of a document per call; a longer one is read part by part."""

_MOST = 20
"""Most facts of a part."""

_FACTS, _FAILED = "facts", "reason"

_PROMPT = "judge/list_document_facts"
"""Of a style without a prompt of its own, `judge/list_STYLE_facts`."""


@solver
def list_document_facts(style: str = "earnings_call") -> Solver:
    """Let the model list the facts that a summary or client file should have."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        judgement = await list_facts(
            get_model(),
            state.input_text,
            prompt=own if prompt_file(own := f"judge/list_{style}_facts") else _PROMPT,
            most=_MOST,
        )
        if judgement.verdict is None:
            state.store.set(_FAILED, judgement.reason)
        else:
            state.store.set(_FACTS, [fact.model_dump() for fact in judgement.verdict])
        state.output.completion = judgement.replies[-1]
        return state

    return solve


class Listing:
    """Facts listed by a grader."""

    def __init__(self, log: EvalLog) -> None:
        self.location = log.location
        self.facts: dict[str, list[ListedFact]] = {}
        self.failed: dict[str, str] = {}
        for sample in log.samples or []:
            doc_id = (sample.metadata or {})["doc_id"]
            if sample.error is not None or _FACTS not in sample.store:
                reason = sample.error.message if sample.error else sample.store.get(_FAILED)
                self.failed[doc_id] = " ".join(str(reason or "it was not asked").split())
                continue
            listed = [ListedFact(**fact) for fact in sample.store[_FACTS]]
            self.facts.setdefault(doc_id, []).extend(listed)
        for doc_id in self.failed:  # an incomplete listing does not count
            self.facts.pop(doc_id, None)


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
        Sample(id=f"{doc_id}#{number}", input=text, metadata={"doc_id": doc_id})
        for doc_id, chunks in documents.items()
        for number, text in enumerate(_parts(chunks), 1)
    ]
    task = Task(
        name="document_facts",
        dataset=MemoryDataset(samples, name="document_facts"),
        solver=list_document_facts(style),
        fail_on_error=False,
    )
    (log,) = eval(task, model=model or DEFAULT_GRADER, **options)
    if log.status != "success":
        reason = log.error.message if log.error else log.status
        raise InputError(f"listing facts ended with {reason}; see {log.location}")
    return Listing(log)


def _parts(chunks: Sequence[Chunk]) -> list[str]:
    """Split a document into texts of at most `_TOKENS` tokens, if its chunks allow."""
    parts: list[list[Chunk]] = [[]]
    for chunk in chunks:
        if parts[-1] and sum(earlier.tokens for earlier in parts[-1]) + chunk.tokens > _TOKENS:
            parts.append([])
        parts[-1].append(chunk)
    return ["\n".join(chunk.text for chunk in part) for part in parts]
