"""FinDER (Linq AI Research, 2025): terse questions of finance professionals about 10-K filings.

https://huggingface.co/datasets/Linq-AI-Research/FinDER, CC BY-NC 4.0. Not distributed with this
package.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, PositiveInt

from arag_inspect._util.files import digest
from arag_inspect.benchmark.rows import Filled, SourceRow, Text, Texts, read_rows
from arag_inspect.corpus import Document

from .._shared.download import HubFile
from .._shared.question_set import Question, QuestionSet, add_text

FILE = HubFile(
    repository="Linq-AI-Research/FinDER",
    revision="c4c1b6454aef7f0bb1c37235c7f52ce644642da0",
    name="data/train-00000-of-00001.parquet",
    sha256="213395beb38a075dcc7b23f8e213ccbd2768df0f5c615479c33e10ce8cc267f1",
)

_TYPES = {"Subtract": "Subtraction"}
"""Question types that have two names in the source."""


def read_finder(*, source: Path | None = None, limit: PositiveInt | None = None) -> QuestionSet:
    """Read FinDER.

    The documents are the distinct reference passages of the questions: the gold passages of all
    questions, not the whole filings.

    Args:
        source: Local copy of the repository, or of its file (Parquet or JSON), instead of a
            download.
        limit: Read only the first `limit` questions.

    Raises:
        InputError: The file cannot be downloaded, or a row of it is invalid.
    """
    path = FILE.get(source)
    return QuestionSet.read(read_rows(path), _read_question, limit, FILE.source_of(path), "train")


class _FinderRow(BaseModel):
    """A question with its passages."""

    id: Annotated[Filled, Field(alias="_id")]
    text: Filled
    references: Annotated[Texts, Field(min_length=1)]
    answer: Texts
    category: Text = ""
    type: Text = ""


def _read_question(row: SourceRow, documents: dict[str, Document]) -> Question:
    item = row.parse(_FinderRow)
    return Question(
        question_id=item.id,
        text=item.text,
        answers=item.answer,
        doc_ids=tuple(dict.fromkeys(_add_passage(text, documents) for text in item.references)),
        evidence=tuple(dict.fromkeys(item.references)),
        question_type=item.category or "other",
        extra_metadata={"question_reasoning": _TYPES.get(item.type, item.type)},
    )


def _add_passage(text: str, documents: dict[str, Document]) -> str:
    """Add a passage and return its document's id, which does not depend on white space."""
    return add_text(documents, f"passage-{digest(' '.join(text.split()), length=16)}", text)
