"""The question of a sample, for scorers whose rules depend on what it asks for."""

from inspect_ai.solver import TaskState

from arag_inspect.figures.answers.question import question_in


def question_of(state: TaskState) -> str:
    """Return the question of a sample, without a text beside it.

    That is `question` in its metadata; else what the last user message of its input asks.
    """
    question = state.metadata.get("question")
    if isinstance(question, str) and question.strip():
        return question
    return question_in(state.input_text)
