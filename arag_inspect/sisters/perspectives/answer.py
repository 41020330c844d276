"""Read the answer and the documents for the scorers of two-sided summaries."""

from typing import NamedTuple

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect._util.json_reply import ReplyParseError
from arag_inspect.judge.unscored import unscored_if_skipped

from .two_sided import DocId, Document, TwoSided, read_summary, sample_documents


class Answered(NamedTuple):
    """A summary with its documents."""

    summary: TwoSided
    documents: dict[DocId, Document]


def documents_of(state: TaskState) -> dict[DocId, Document] | Score:
    """Return the documents of a sample by id, or its score if it cannot be judged."""
    if (unscored := unscored_if_skipped(state)) is not None:
        return unscored
    try:
        return {document.id: document for document in sample_documents(state.metadata)}
    except InputError as error:
        return Score.unscored(reason="no_documents", explanation=error.message)


def answered(state: TaskState) -> Answered | Score:
    """Return a sample's summary and documents, or its score if it has no summary."""
    documents = documents_of(state)
    if isinstance(documents, Score):
        return documents
    answer = state.output.completion
    try:
        return Answered(read_summary(answer), documents)
    except ReplyParseError as error:
        return Score.unscored(
            reason="unreadable_answer",
            answer=answer,
            explanation=f"The answer is not a two-sided summary: {error}.",
        )
