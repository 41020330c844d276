"""Files of questions that a model wrote: all candidates, and the kept ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import replace_file
from arag_inspect.benchmark.prepared_files import json_lines
from arag_inspect.benchmark.rows import read_models

from .spot_check import REJECT, SpotCheck

QuestionType = Literal["single", "multi", "summary", "comparison", "unanswerable"]
QuestionOutcome = Literal[
    "kept", "unusable", "not_verbatim", "not_answered", "known", "answered", "duplicate"
]
"""`unusable`: the reply, or the verdict on an answer, is not in the requested form; `not_verbatim`:
a quotation does not occur in the passages; `not_answered`: the evidence does not lead to the
answer; `known`: the answer is known without evidence; `answered`: the documents answer a question
that should be unanswerable."""

CANDIDATES = "candidates.jsonl"
QUESTIONS = "questions.jsonl"
NOT_SAID = "The documents do not say."
"""Gold answer of an unanswerable question."""

_QUESTION_CHECK = SpotCheck(("id", "question", "answer", "evidence"), CANDIDATES)


class Candidate(BaseModel):
    """A question written by a model, and its outcome."""

    model_config = ConfigDict(extra="forbid")

    id: str
    question_type: QuestionType
    outcome: QuestionOutcome
    reason: str = ""
    """Why it was not kept."""

    question: str = ""
    answer: str = ""
    evidence: list[str] = []
    """Passages of the documents, verbatim."""

    doc_ids: list[str] = []
    chunk_ids: list[int] = []
    """Chunks shown to the model."""

    model: str
    settings: str
    """Digest of the settings: model, prompts, chunks and seed."""


def read_candidates(folder: Path, settings: str) -> dict[str, Candidate]:
    """Read the candidates of a folder by id, in the order of writing.

    Raises:
        InputError: The file is unreadable, or was made with other settings.
    """
    candidates = read_models(folder / CANDIDATES, Candidate)
    if any(candidate.settings != settings for candidate in candidates.values()):
        raise InputError(
            f"{folder / CANDIDATES} was made with another model, corpus, seed or version of the "
            "prompts; give another -o"
        )
    return candidates


def read_rejected(folder: Path, candidates: Mapping[str, Candidate]) -> set[str]:
    """Read the ids of questions that an annotator rejected.

    Raises:
        InputError: The table of marks is unreadable; see `SpotCheck.read`.
    """
    marks = _QUESTION_CHECK.read(folder, candidates)
    return {name for name, mark in marks.items() if mark == REJECT}


def write_candidates(folder: Path, candidates: Sequence[Candidate], *, seed: int) -> None:
    """Write candidates, kept questions, and a tenth of these for an annotator to check.

    Args:
        folder: Folder made by `make_folder`.
        candidates: All candidates.
        seed: Seed of the selection.
    """
    questions = [item for item in candidates if item.outcome == "kept"]
    rejected = read_rejected(folder, {item.id: item for item in candidates})
    replace_file(folder / CANDIDATES, json_lines(item.model_dump() for item in candidates))
    rows = [
        (item.id, item.question, item.answer, " […] ".join(item.evidence)) for item in questions
    ]
    _QUESTION_CHECK.write(folder, rows, seed=seed)
    replace_file(
        folder / QUESTIONS,
        json_lines(_question(item) for item in questions if item.id not in rejected),
    )


def _question(candidate: Candidate) -> dict[str, object]:
    """Return a row for `arag-inspect prepare custom --questions`."""
    names = ("id", "question", "answer", "evidence", "doc_ids", "question_type")
    return candidate.model_dump(include=set(names))
