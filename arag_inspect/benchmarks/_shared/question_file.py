"""Questions in a file of any tool, and the documents that they name."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ...corpus.documents.text import Skipped
from ...measures.answer_match import PARTS
from ...types.sample import SampleMetadata
from .document_names import DocumentNames
from .other_tools.record import Record
from .other_tools.records import read_records
from .other_tools.values import texts_of
from .question_set import Question

_RESERVED = {*SampleMetadata.model_fields, "document", "gold"} - {"company", "period", "group"}
"""Reserved keys of a sample's metadata; a column of such a name is renamed."""


def read_question_file(
    path: Path, documents: Sequence[str] | None = None, *, columns: str = "", split: str = ""
) -> tuple[list[Question], list[Skipped]]:
    """Read a file of questions in any known tool's format.

    Args:
        path: JSON, JSON Lines, CSV, TSV or Parquet.
        documents: Documents that a question may name; None ignores the documents it names.
        columns: Columns of roles, e.g. `question=Frage,reference=Soll`.
        split: Only questions of this split; empty for all.

    Returns:
        The questions, and the parts of the file that were not used.

    Raises:
        InputError: No column holds the question, an id occurs twice, or a document is unknown.
    """
    names = None if documents is None else DocumentNames(documents)
    records = read_records(path, use="questions", columns=columns, split=split)
    notes = [Skipped(path.name, note, partly=True) for note in records.notes]
    return [_question(record, names) for record in records.items], notes


def sample_metadata_of(record: Record) -> dict[str, Any]:
    """Return the further columns of a record as metadata of its sample."""
    metadata = {}
    for name, value in record.metadata.items():
        metadata[f"question_{name}" if name in _RESERVED else name] = value
    if PARTS in metadata:
        metadata[PARTS] = list(texts_of(metadata[PARTS]))
    if record.group:
        metadata["group"] = record.group
    return metadata


def _question(record: Record, names: DocumentNames | None) -> Question:
    doc_ids = _documents(record, names) if names else ()
    metadata = sample_metadata_of(record)
    answers = record.references
    joined_parts = "; ".join(metadata.get(PARTS, ()))
    if not answers and joined_parts:
        answers = (joined_parts,)
    return Question(
        question_id=record.record_id,
        text=record.question,
        answers=answers,
        doc_ids=doc_ids,
        evidence=record.evidence,
        pages=record.pages,
        question_type=record.question_type or None,
        more=metadata,
    )


def _documents(record: Record, names: DocumentNames) -> tuple[str, ...]:
    """Return the documents that a record names, each once."""
    parts = chain.from_iterable(map(names.split, record.documents))
    doc_ids = (names.find(part, record.row) for part in parts if part.strip())
    return tuple(dict.fromkeys(doc_ids))
