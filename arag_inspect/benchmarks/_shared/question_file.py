"""Questions in a file of any tool, and their documents."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from arag_inspect._util.wording import format_count, join_names
from arag_inspect.benchmark.rows import SourceRow
from arag_inspect.corpus.document_names import DocumentNames, plain_name
from arag_inspect.measures.answer_match import PARTS
from arag_inspect.types.sample import UNANSWERABLE, SampleMetadata, known_styles

from .other_tools.record import Record
from .other_tools.records import read_records
from .question_set import Question

_RESERVED = {*SampleMetadata.model_fields, "document", "gold"} - {"company", "period", "group"}
"""Reserved keys of a sample's metadata; columns with such a name are renamed."""


STYLE = "style"
"""Column with the kind of text asked for: an answer, or a summary."""


class QuestionFile(NamedTuple):
    """The questions of a file, and the roles of its columns."""

    questions: list[Question]
    reading: tuple[str, ...]
    """Role of each column, and unused parts, a line each."""


def read_question_file(
    path: Path, documents: Sequence[str] | None = None, *, columns: str = "", split: str = ""
) -> QuestionFile:
    """Read a file of questions in any known tool's format.

    Args:
        path: JSON, JSON Lines, CSV, TSV, Parquet or XLSX.
        documents: Documents that a question may refer to; None ignores its documents.
        columns: Columns of roles, e.g. `question=Frage,reference=Soll`.
        split: Only questions of this split; empty for all.

    Raises:
        InputError: No column holds the question, an id occurs twice, or a document is unknown.
    """
    names = None if documents is None else DocumentNames(documents)
    records = read_records(path, use="questions", columns=columns, split=split)
    questions = [_question(record, names) for record in records.items]
    styles = Counter(
        question.extra_metadata[STYLE] for question in questions if STYLE in question.extra_metadata
    )
    if styles:
        other_columns = tuple(name for name in records.metadata if name != STYLE)
        records = replace(records, metadata=other_columns)
    reading = [records.describe_columns(), *records.notes_on(), *records.notes]
    if styles:
        counts = [f"{style} ({count})" for style, count in styles.most_common()]
        reading.append(f'"{STYLE}" says what to write: {join_names(counts)}')
    unanswerable = sum(item.question_type == UNANSWERABLE for item in questions)
    if unanswerable:
        count = format_count(unanswerable, "question")
        reading.append(f"{count} without an answer in the documents ({UNANSWERABLE})")
    return QuestionFile(questions, tuple(reading))


def sample_metadata_of(record: Record) -> dict[str, Any]:
    """Return the further columns of a record as metadata of its sample.

    A column with a reserved name is renamed, except a `style` that is known.
    """
    metadata = {}
    for name, value in record.metadata.items():
        if (name, value) == ("question_type", record.question_type):
            continue
        is_style = name == STYLE and value in known_styles()
        metadata[f"question_{name}" if name in _RESERVED and not is_style else name] = value
    if record.answer_parts:
        metadata[PARTS] = list(record.answer_parts)
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
        extra_metadata=metadata,
    )


def _documents(record: Record, names: DocumentNames) -> tuple[str, ...]:
    """Return the distinct documents of a record."""
    parts = chain.from_iterable(map(names.split, record.documents))
    doc_ids = (_find_document(names, part, record.row) for part in parts if part.strip())
    return tuple(dict.fromkeys(doc_ids))


def _find_document(names: DocumentNames, name: str, row: SourceRow) -> str:
    """Return the document of a name: its path or an unambiguous part, ignoring case."""
    matches = names.matches(name)
    if len(matches) == 1:
        return matches[0]
    shown_name = plain_name(name.strip())
    if matches:
        raise row.error(
            f"document {shown_name!r} is ambiguous: {' or '.join(matches)}; give the whole path"
        )
    choices = ", ".join(names.documents[:5])
    ellipsis = ", ..." if len(names.documents) > 5 else ""
    raise row.error(f"document {shown_name!r} is unknown; choose from {choices}{ellipsis}")
