"""DocFinQA (Reddy et al., ACL 2024): questions of FinQA over the whole filing.

https://huggingface.co/datasets/kensho/DocFinQA, MIT.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, PositiveInt

from arag_inspect._util.files import digest
from arag_inspect.benchmark.rows import Filled, SourceRow, Text, read_rows
from arag_inspect.corpus import Document

from .._shared.download import HubFile
from .._shared.question_set import Question, QuestionSet, add_text

DocFinQASplit = Literal["test", "dev", "train"]

REPOSITORY = "kensho/DocFinQA"
REVISION = "64ebaff62f692495bcc182f45cf9a9606251b19b"
DIGESTS: Mapping[DocFinQASplit, str] = {
    "test": "0ebf95ccc719e72f45333e256928c90e8fa7a9a81f226dcb38ad7b3a48a3ff42",
    "dev": "f8b69c455c6772320caf42544eaf802fbabdc716fecd12c938356fbe0635deb9",
    "train": "ab59345df17638ebd59402adeab07b0768563a670cfb3538aea97cfdefb93f31",
}
"""SHA-256 of each split's file."""


def read_docfinqa(
    split: DocFinQASplit = "test", *, source: Path | None = None, limit: PositiveInt | None = None
) -> QuestionSet:
    """Read a split of DocFinQA.

    A filing that several questions share becomes one document. The data set lacks the company of a
    filing and the location of the evidence.

    Args:
        split: test (922 questions, 581 MB), dev (780, 496 MB) or train (5,735, 3.6 GB).
        source: Local copy of the repository, or of the file in it, instead of a download.
        limit: Read only the first `limit` questions.

    Raises:
        InputError: The file cannot be downloaded, or a row of it is invalid.
    """
    file = HubFile(REPOSITORY, REVISION, f"{split}.json", DIGESTS[split])
    path = file.get(source)
    return QuestionSet.read(read_rows(path), _read_question, limit, file.source_of(path), split)


class _DocFinQARow(BaseModel):
    """A question with its filing."""

    context: Annotated[Filled, Field(alias="Context")]
    question: Annotated[Filled, Field(alias="Question")]
    answer: Annotated[Filled, Field(alias="Answer")]
    program: Annotated[Text, Field(alias="Program")] = ""


def _read_question(row: SourceRow, documents: dict[str, Document]) -> Question:
    item = row.parse(_DocFinQARow)
    text = item.context
    doc_id = add_text(documents, f"filing-{digest(text, length=16)}", text)
    return Question(
        question_id=f"{doc_id}-{digest(item.question, length=8)}",
        text=item.question,
        answers=(item.answer,),
        doc_ids=(doc_id,),
        question_type="yes_no" if item.answer.lower() in ("yes", "no") else "numeric",
        extra_metadata={"program": item.program},
    )
