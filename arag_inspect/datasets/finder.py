"""FinDER (Linq AI Research, 2025): terse questions of finance professionals about 10-K filings.

https://huggingface.co/datasets/Linq-AI-Research/FinDER, CC BY-NC 4.0. Nothing of
it ships with this package.
"""

import hashlib
from pathlib import Path

from ..corpus import Document, Section
from ._io.hub import HubFile
from ._io.records import Row, distinct, read_rows
from .question_set import Question, QuestionSet

FILE = HubFile(
    repository="Linq-AI-Research/FinDER",
    revision="c4c1b6454aef7f0bb1c37235c7f52ce644642da0",
    name="data/train-00000-of-00001.parquet",
    sha256="213395beb38a075dcc7b23f8e213ccbd2768df0f5c615479c33e10ce8cc267f1",
)

_TYPES = {"Subtract": "Subtraction"}
"""Two names of one type in the source."""


def load_finder(*, source: Path | None = None, limit: int | None = None) -> QuestionSet:
    """Read FinDER.

    The documents are the reference passages of the questions, each once: the
    gold passages of all questions, not the whole filings.

    Args:
        source: Local copy of the repository, or its file (Parquet, JSON or CSV); None downloads.
        limit: Only so many questions, from the first.

    Raises:
        InputError: The file cannot be had, or a row of it is not as it should be.
    """
    path = FILE.get(source)
    documents: dict[str, Document] = {}
    questions: list[Question] = []
    for row in distinct(read_rows(path), "_id"):
        if limit is not None and len(questions) == limit:
            break
        questions.append(_read(row, documents))
    return QuestionSet(
        documents=documents.values(),
        questions=questions,
        source=FILE.source_of(path),
        counts={"samples_without_answer": sum(not one.answers for one in questions)},
        total=len(documents),
    )


def _read(row: Row, documents: dict[str, Document]) -> Question:
    references = row.texts("references")
    if not references:
        raise row.wrong("'references' is missing or empty; expected a list of passages")
    answer = row.optional_text("answer")
    kind = row.optional_text("type") or ""
    return Question(
        question_id=row.text("_id"),
        text=row.text("text"),
        answers=(answer,) if answer else (),
        doc_ids=tuple(dict.fromkeys(_place(text, documents) for text in references)),
        evidence=tuple(dict.fromkeys(references)),
        question_type=row.optional_text("category") or "other",
        more={"question_reasoning": _TYPES.get(kind, kind)},
    )


def _place(text: str, documents: dict[str, Document]) -> str:
    """Id of the document that a passage is, white space aside."""
    digest = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()
    doc_id = f"passage-{digest[:16]}"
    section = Section(title="", text=text, prefix="")
    documents.setdefault(doc_id, Document(doc_id, "", "", (section,)))
    return doc_id
