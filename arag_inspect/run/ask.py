"""Answer a single question from a prepared corpus, or from a folder of files."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig

from .._util.errors import InputError, echo_some
from .._util.files import cache_folder, digest
from .._util.progress import bar
from ..benchmarks import Options, prepare_dataset
from ..corpus import Corpus
from ..corpus.prepared.manifest import is_prepared
from ..models.run_task import run_task
from ..solvers import system_solver
from ..types.trace import RetrievalTrace


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
        corpus: Prepared corpus by name or path, or a folder of documents, which is prepared in the
            cache at the first question.
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
    with bar("Asking")(None):
        log = run_task(task, model, "asking", log_dir=log_dir, display="none")
    (sample,) = log.samples or []
    trace = sample.store_as(RetrievalTrace)
    if trace.skipped:
        raise InputError(f"no answer: {trace.skipped}; see {log.location}")
    return Answer(sample.output.completion, trace, log.location)


def locate_or_prepare(corpus: str) -> Path:
    """Find a prepared folder; a folder of files is prepared in the cache first.

    Files that are not read are listed on standard error with their reasons.

    Args:
        corpus: Prepared corpus by name or path, or a folder of documents.

    Raises:
        InputError: It is neither, or no file of the folder can be read.
    """
    folder = Path(corpus).expanduser()
    if is_prepared(Corpus.locate(corpus)) or not folder.is_dir():
        return Corpus.open(corpus).path
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    state = [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in files]
    out = cache_folder() / "ask" / digest(json.dumps([str(folder.absolute()), state]))
    unread = out.with_suffix(".skipped.json")
    if not is_prepared(out):
        with TemporaryDirectory() as scratch:
            questions = Path(scratch) / "questions.jsonl"
            questions.write_text('{"id": "none", "question": "-", "answer": "-"}\n')
            prepared = prepare_dataset(
                "custom",
                documents=folder,
                questions=questions,
                name="ask",
                options=Options(out=out),
            )
        notes = [f"{file.name}: {file.reason}" for file in prepared.skipped]
        unread.write_text(json.dumps(notes), "utf-8")
    notes = json.loads(unread.read_text("utf-8")) if unread.is_file() else []
    echo_some(f"{len(notes)} files of {folder} were not read, or only in part:", notes, err=True)
    return out
