"""Read the answer and the documents for the scorers of two-sided summaries."""

from typing import NamedTuple

from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect._util.json_reply import ReplyParseError
from arag_inspect.judge.unscored import UnscoredError

from .two_sided import DocId, Document, TwoSided, read_summary, sample_documents


class Answered(NamedTuple):
    """A summary with its documents."""

    summary: TwoSided
    documents: dict[DocId, Document]


def documents_of(state: TaskState) -> dict[DocId, Document]:
    """Return the documents of a sample by id.

    Raises:
        UnscoredError: They are missing or unreadable.
    """
    try:
        return {document.id: document for document in sample_documents(state.metadata)}
    except InputError as error:
        raise UnscoredError("no_documents", error.message) from None


def answered(state: TaskState) -> Answered:
    """Return a sample's summary and documents.

    Raises:
        UnscoredError: One of them is missing or unreadable.
    """
    documents = documents_of(state)
    try:
        return Answered(read_summary(state.output.completion), documents)
    except ReplyParseError as error:
        why = f"The answer is not a two-sided summary: {error}."
        raise UnscoredError("unreadable_answer", why) from None
