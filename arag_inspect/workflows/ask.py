"""Answer a single question from a corpus or a folder of files."""

from typing import Any, NamedTuple

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig

from .._util.errors import InputError
from ..solvers import system_solver
from ..types.trace import RetrievalTrace
from ._prepared_folder import locate_or_prepare
from ._run_task import run_task


class Answer(NamedTuple):
    """An answer with its passages."""

    text: str
    trace: RetrievalTrace
    log: str


def ask(
    corpus: str,
    question: str,
    *,
    model: str,
    system: str = "arag",
    system_args: dict[str, Any] | None = None,
    words: int | None = None,
    log_dir: str = "logs/ask",
) -> Answer:
    """Ask one question and keep the log, which scorers read like any other.

    Args:
        corpus: Prepared corpus by name or path, or a folder of documents, which
            is prepared in the cache at the first question.
        question: The question.
        model: Model that answers.
        system: Name of the system.
        system_args: Its parameters.
        words: Approximate length of a summary that answers the question; None for an answer.
        log_dir: Folder of the log.

    Raises:
        InputError: The corpus does not exist, or there is no answer.
    """
    if not question.strip():
        raise InputError("the question is empty")
    style = {"style": "qa" if words is None else "query_focused", "target_length": words}
    metadata = {"corpus": str(locate_or_prepare(corpus)), **style}
    task = Task(
        dataset=[Sample(id="question", input=question, metadata=metadata)],
        solver=system_solver(system, system_args),
        config=GenerateConfig(temperature=0),
        name="ask",
    )
    log = run_task(task, model, "asking", log_dir=log_dir, display="none")
    (sample,) = log.samples or []
    trace = sample.store_as(RetrievalTrace)
    if trace.skipped:
        raise InputError(f"no answer: {trace.skipped}; see {log.location}")
    return Answer(sample.output.completion, trace, log.location)
