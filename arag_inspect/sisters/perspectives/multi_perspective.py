"""Two-sided summaries of a contested question, with an answer that can be checked."""

from collections.abc import Sequence

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
from arag_inspect._util.json_text import ReplyParseError
from arag_inspect.models import context_window
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.solvers._run import skip, traced_run
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

_FEWEST = 2
"""Documents that are never dropped: one per side."""

_MOST_FAULTS = 10
"""Most faults sent back at once; a model that repeats itself makes hundreds."""


@solver
def multi_perspective(*, max_attempts: int = 10, max_parse_errors: int = 5) -> Solver:
    """Summarise both sides of a question from the documents in the sample's metadata.

    1. The provider enforces a schema with the existing ids, if it can; else the form is described
       in words and JSON is parsed from the text. Ids are normalised (`Doc 3` and `"3"` are 3).
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
        max_attempts: Most calls of the model.
        max_parse_errors: Unreadable answers until documents are dropped.

    Raises:
        InputError: A parameter is not positive.
    """
    check_positive(max_attempts=max_attempts, max_parse_errors=max_parse_errors)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        history = state.store_as(PerspectiveTrace)
        with traced_run(state, "multi_perspective", "document") as trace:
            documents = sample_documents(state.metadata)
            conversation = _Drafting(state, documents)
            for _ in range(max_attempts):
                model = get_model()
                config = context_window.sent_once(model, conversation.config)
                output = await context_window.generate(model, conversation.messages, config=config)
                trace.loops += 1
                summary = conversation.take(output)
                if summary is not None:
                    trace.stopped_by, trace.passages = "answer", conversation.passages()
                    output.completion = summary.model_dump_json(indent=2)
                    state.output = output
                    state.messages = [*conversation.messages, output.message]
                    return state
                history.failed = conversation.failed
                if conversation.overflowed or conversation.unreadable >= max_parse_errors:
                    if not conversation.drop():
                        break
                    history.dropped = conversation.dropped
            if output.stop_reason in context_window.CUT:
                trace.stopped_by = "answer"
                state.output, state.messages = output, [conversation.messages[0], output.message]
                return state
            last = conversation.failed[-1]
            attempts = len(conversation.failed)
            reason = f"no valid summary in {attempts} attempts; the last: {last.faults[0]}"
            return skip(state, trace, reason)

    return solve


class _Drafting:
    """The conversation about one question."""

    def __init__(self, state: TaskState, documents: list[SourceDocument]) -> None:
        self.question, self.documents = state.input_text, documents
        self.dropped: list[int | str] = []
        self.failed: list[Attempt] = []
        self.messages: list[ChatMessage] = []
        self._restart()

    def take(self, output: ModelOutput) -> TwoSided | None:
        """Return the summary of an answer; if it is invalid, send it back and return None."""
        result = self._read_answer(output)
        if isinstance(result, TwoSided):
            return result
        self.failed = [*self.failed, Attempt(documents=len(self.documents), faults=result)]
        repair = fill(
            load_prompt("perspectives/repair"),
            faults="\n".join(f"- {fault}" for fault in result[:_MOST_FAULTS]),
        )
        replies = [output.message] if output.completion.strip() and not self.overflowed else []
        self.messages = [self.messages[0], *replies, ChatMessageUser(content=repair)]
        return None

    def passages(self) -> list[Passage]:
        """Return the documents shown to the model."""
        return [
            Passage(chunk_id=n, doc_id=str(document.id), prefix="", text=document.content, loop=1)
            for n, document in enumerate(self.documents)
        ]

    @property
    def config(self) -> GenerateConfig:
        """Settings of the next call."""
        schema = _schema([document.id for document in self.documents])
        return GenerateConfig(response_schema=schema)

    def drop(self) -> bool:
        """Drop the lower-scored half of the documents; return False if too few remain."""
        if len(self.documents) <= _FEWEST:
            return False
        best = sorted(self.documents, key=_worth, reverse=True)
        kept = max(_FEWEST, len(best) // 2)
        self.dropped = [*self.dropped, *(document.id for document in best[kept:])]
        self.documents = [document for document in self.documents if document in best[:kept]]
        self._restart()
        return True

    def _restart(self) -> None:
        self.unreadable, self.overflowed = 0, False
        documents = [
            fence("document", document.content, id=document.id) for document in self.documents
        ]
        prompt = fill(
            load_prompt("perspectives/multi_perspective"),
            words=WORDS_AT_MOST,
            documents="\n\n".join(documents),
            question=self.question,
        )
        self.messages = [ChatMessageUser(content=prompt)]

    def _read_answer(self, output: ModelOutput) -> TwoSided | list[str]:
        """Return the summary of an answer, or its faults."""
        if output.stop_reason == "model_length":
            self.overflowed = True
            return ["the prompt is over the model's window"]
        try:
            summary = read_summary(output.completion)
        except ReplyParseError as error:
            self.unreadable += 1
            cut = output.stop_reason == "max_tokens"
            return [f"{error} (the reply was cut off; be brief)" if cut else str(error)]
        faults_by_check = faults(summary, {document.id for document in self.documents})
        problems = [message for messages in faults_by_check.values() for message in messages]
        return list(dict.fromkeys(problems)) or summary


def _schema(ids: Sequence[DocId]) -> ResponseSchema:
    """Return the form of a summary of documents with these ids."""
    by_type = {
        "integer": [doc_id for doc_id in ids if isinstance(doc_id, int)],
        "string": [doc_id for doc_id in ids if isinstance(doc_id, str)],
    }
    allowed = [{"type": kind, "enum": own} for kind, own in by_type.items() if own]
    form = json_schema(TwoSided).model_dump(exclude_none=True)
    perspectives = form["properties"]["claims"]["items"]["properties"]["perspectives"]
    perspectives["items"]["properties"]["evidence_docs"]["items"] = (
        {"anyOf": allowed} if len(allowed) > 1 else allowed[0]
    )
    return ResponseSchema(name="two_sided_summary", json_schema=JSONSchema.model_validate(form))


def _worth(document: SourceDocument) -> float:
    return float("-inf") if document.score is None else document.score
