"""The question of a sample, and whether its documents answer it."""

import re

from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from arag_inspect.figures.answers.question import question_in
from arag_inspect.judge.unscored import UnscoredError, no_reference
from arag_inspect.text.refusals import declines
from arag_inspect.types.sample import (
    QUESTION,
    UNANSWERABLE,
    known_styles,
    sample_metadata_or_default,
)

_NOTE = re.compile(r"\W*(?:not|un)[ _-]?(?:in|answerable|available|found|given)\b", re.IGNORECASE)
"""Beginning of a note in place of an answer: `NOT IN DOCUMENTS`."""


def is_unanswerable(state: TaskState) -> bool:
    """Return whether the documents do not answer the question of a sample."""
    return sample_metadata_or_default(state).question_type == UNANSWERABLE


def asks_for_summary(state: TaskState) -> bool:
    """Return whether a sample asks for a summary; one of an unknown style may ask a question."""
    style = sample_metadata_or_default(state).style
    return style != QUESTION and style in known_styles()


def check_is_question(state: TaskState, target: Target) -> None:
    """Raise if a sample has no gold answer that an answer could give word for word.

    A sample of an unknown style may have one.

    Raises:
        UnscoredError: The sample asks for a summary, or its documents do not answer its question.
    """
    if asks_for_summary(state):
        raise UnscoredError("not_a_question", "A summary has no single right answer.")
    check_has_answer(state, target)


def has_note_for_answer(state: TaskState, target: Target) -> bool:
    """Return whether an unanswerable question has only a note, or nothing, as its target.

    If the evidence was removed from the documents, the target is still the answer.
    """
    return is_unanswerable(state) and all(_NOTE.match(text) or declines(text) for text in target)


def check_has_answer(state: TaskState, target: Target) -> None:
    """Raise if an unanswerable question has a note as its target, not words to find.

    Raises:
        UnscoredError: The target is such a note.
    """
    if has_note_for_answer(state, target):
        raise no_reference(state)


def question_of(state: TaskState) -> str:
    """Return the question of a sample, without a text beside it.

    This is `question` in its metadata, else the question in the last user message.
    """
    question = state.metadata.get("question")
    if isinstance(question, str) and question.strip():
        return question
    return question_in(state.input_text)
