"""Two-sided summaries of a contested question, with an answer that can be checked."""

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema, json_schema

from arag_inspect._util.errors import check_positive
from arag_inspect.models.call import INCOMPLETE_STOPS, call_model, one_off_config
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.systems.tracing import skip, traced_run
from arag_inspect.text.replies import ReplyParseError
from arag_inspect.types.system import System
from arag_inspect.types.trace import Passage

from .two_sided import (
    WORDS_AT_MOST,
    Attempt,
    DocId,
    PerspectiveTrace,
    SourceDocument,
    TwoSided,
    faults,
    read_summary,
    sample_documents,
)

_SYSTEM = System("multi_perspective", "document")

_FEWEST = 2
"""Number of documents that are never dropped: one per side."""

_MOST_FAULTS = 10
"""Maximum faults sent back at once; models that repeat themselves make hundreds."""


@solver
def multi_perspective(*, max_attempts: int = 10, max_parse_errors: int = 5) -> Solver:
    """Summarise both sides of a question from the documents in the sample's metadata.

    1. The provider enforces a schema with the existing ids, if it can; otherwise the prompt
       describes the form and JSON is read from text. Ids are normalised (`Doc 3` and `"3"` are 3).
    2. An answer that breaks a rule (two claims, one for and one against; one sentence of at most 30
       words; documents that exist, each used once) is sent back with its faults. Only the last
       answer is kept in the conversation.
    3. `max_parse_errors` unreadable answers, or a prompt over the model's window, mean that the
       prompt is too long: the lower-scored half of the documents is dropped (two always stay), and
       the model is asked again.
    4. The answer is the summary as JSON. When all attempts fail the sample is completed without
       one, marked as skipped with the reason, and unscored; a last attempt that was refused or cut
       off at its token limit is scored unchanged.

    Rejected answers and dropped documents are recorded in the store (`PerspectiveTrace`).

    Args:
        max_attempts: Maximum number of model calls.
        max_parse_errors: Unreadable answers before documents are dropped.

    Raises:
        InputError: A parameter is not positive.
    """
    parameters: dict[str, Any] = {
        "max_attempts": max_attempts,
        "max_parse_errors": max_parse_errors,
    }
    check_positive(max_attempts=max_attempts, max_parse_errors=max_parse_errors)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        history = state.store_as(PerspectiveTrace)
        with traced_run(state, _SYSTEM, **parameters) as trace:
            documents = sample_documents(state.metadata)
            messages = _request(state, documents)
            unreadable = 0
            for _ in range(max_attempts):
                output = await _generate(messages, documents)
                trace.loops += 1
                draft = _read_draft(output, documents)
                if not draft.faults:
                    trace.stopped_by = "answer"
                    trace.passages = _passages(documents)
                    state.output = output
                    state.messages = [*messages, output.message]
                    output.completion = draft.answer
                    return state
                attempt = Attempt(documents=len(documents), faults=draft.faults)
                history.failed = [*history.failed, attempt]
                unreadable += not draft.answer
                messages = [messages[0], *_repair(output, draft.faults)]
                if output.stop_reason != "model_length" and unreadable < max_parse_errors:
                    continue
                if len(documents) <= _FEWEST:
                    break
                best_half = _best_half(documents)
                dropped = [document.id for document in documents if document not in best_half]
                history.dropped = [*history.dropped, *dropped]
                documents = best_half
                messages = _request(state, documents)
                unreadable = 0
            if output.stop_reason in INCOMPLETE_STOPS:
                trace.stopped_by = "answer"
                state.output = output
                state.messages = [messages[0], output.message]
                return state
            reason = f"{len(history.failed)} attempts; the last: {draft.faults[0]}"
            return skip(state, trace, f"no valid summary in {reason}")

    return solve


async def _generate(
    messages: list[ChatMessage], documents: Sequence[SourceDocument]
) -> ModelOutput:
    """Call the model, held to the schema of a summary of the documents."""
    model = get_model()
    schema = _schema([document.id for document in documents])
    config = one_off_config(model, GenerateConfig(response_schema=schema))
    return await call_model(model, messages, config=config)


class _ReadDraft(NamedTuple):
    """The parsed parts of an answer."""

    answer: str
    """The summary as JSON; empty if it is unreadable."""

    faults: list[str]


def _read_draft(output: ModelOutput, documents: Sequence[SourceDocument]) -> _ReadDraft:
    if output.stop_reason == "model_length":
        return _ReadDraft("", ["the prompt is over the model's window"])
    try:
        summary = read_summary(output.completion)
    except ReplyParseError as error:
        advice = " (the reply was cut off; be brief)" if output.stop_reason == "max_tokens" else ""
        return _ReadDraft("", [f"{error}{advice}"])
    faults_by_check = faults(summary, {document.id for document in documents})
    problems = dict.fromkeys(chain.from_iterable(faults_by_check.values()))
    return _ReadDraft(summary.model_dump_json(indent=2), list(problems))


def _request(state: TaskState, documents: Sequence[SourceDocument]) -> list[ChatMessage]:
    """Return the request to summarise documents."""
    blocks = [fence("document", document.content, id=document.id) for document in documents]
    prompt = fill(
        load_prompt("perspectives/multi_perspective"),
        words=WORDS_AT_MOST,
        documents="\n\n".join(blocks),
        question=state.input_text,
    )
    return [ChatMessageUser(content=prompt)]


def _repair(output: ModelOutput, problems: Sequence[str]) -> list[ChatMessage]:
    """Return an answer, if any, and the request to repair it."""
    fault_lines = "\n".join(f"- {fault}" for fault in problems[:_MOST_FAULTS])
    request = ChatMessageUser(content=fill(load_prompt("perspectives/repair"), faults=fault_lines))
    return [output.message, request] if output.completion.strip() else [request]


def _best_half(documents: Sequence[SourceDocument]) -> list[SourceDocument]:
    """Return the higher-scored half of the documents, at least two, in their original order."""
    ranked = sorted(
        documents, key=lambda d: -math.inf if d.score is None else d.score, reverse=True
    )
    best = ranked[: max(_FEWEST, len(ranked) // 2)]
    return [document for document in documents if document in best]


def _passages(documents: Sequence[SourceDocument]) -> list[Passage]:
    return [
        Passage(chunk_id=n, doc_id=str(document.id), prefix="", text=document.content, loop=1)
        for n, document in enumerate(documents)
    ]


def _schema(ids: Sequence[DocId]) -> ResponseSchema:
    """Return the response schema of a summary that cites these ids."""
    ids_by_type = {
        "integer": [doc_id for doc_id in ids if isinstance(doc_id, int)],
        "string": [doc_id for doc_id in ids if isinstance(doc_id, str)],
    }
    allowed = [{"type": kind, "enum": ids} for kind, ids in ids_by_type.items() if ids]
    form = json_schema(TwoSided).model_dump(exclude_none=True)
    perspectives = form["properties"]["claims"]["items"]["properties"]["perspectives"]
    perspectives["items"]["properties"]["evidence_docs"]["items"] = (
        {"anyOf": allowed} if len(allowed) > 1 else allowed[0]
    )
    return ResponseSchema(name="two_sided_summary", json_schema=JSONSchema.model_validate(form))
