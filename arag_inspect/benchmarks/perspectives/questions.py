"""Contested questions with documents on both sides: samples, and export of the summaries."""

import re
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import digest
from arag_inspect.benchmark.rows import read_models
from arag_inspect.text.replies import ReplyParseError

from .two_sided import SourceDocument, read_summary

if TYPE_CHECKING:
    from arag_inspect.report import Study

SHIPPED = "questions.jsonl"


class ContestedQuestion(BaseModel):
    """One line of the data."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: str
    documents: tuple[SourceDocument, ...]
    web: tuple[SourceDocument, ...] | None = None

    @field_validator("query")
    @classmethod
    def _strip_query(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("query is empty")
        return value.strip()

    @model_validator(mode="after")
    def _check_documents(self) -> Self:
        if not merge_documents(self.documents, self.web or ()):
            raise ValueError("there is no document; give at least one")
        return self

    @property
    def name(self) -> str:
        """Id derived from the question alone."""
        words = re.sub(r"[^a-z0-9]+", "-", self.query.lower()).strip("-")
        return f"{words[:48].rstrip('-')}-{digest(self.query, length=6)}".strip("-")


def merge_documents(
    local: Sequence[SourceDocument], web: Sequence[SourceDocument]
) -> list[SourceDocument]:
    """Return local documents, then documents from the web marked `R`, with the URL as id.

    Raises:
        ValueError: An id occurs twice.
    """
    merged = [*local, *(page for page in web if page.relevance == "R")]
    ids = Counter(document.id for document in merged)
    document_id, count = ids.most_common(1)[0] if ids else ("", 0)
    if count > 1:
        raise ValueError(f"document id {document_id!r} is given twice")
    return merged


def perspectives_dataset(data: str | None = None) -> Dataset:
    """Return samples of contested questions, one per line.

    Args:
        data: JSON Lines with `query`, `documents` (each with `id`, `content` and optionally `score`
            and `relevance`) and optionally `web` (each with `url`, `content`, `relevance`). None
            uses the twenty built-in questions.

    Raises:
        InputError: The file is missing, or a line is invalid; the message says which and why.
    """
    if data is not None and not isinstance(data, str):
        raise InputError(f"data must be the path of a JSON Lines file, got {data!r}")
    path = Path(data).expanduser() if data else Path(str(files(__package__).joinpath(SHIPPED)))
    if not path.is_file():
        raise InputError(f"data {path} not found; give a JSON Lines file of questions")
    questions = read_models(path, ContestedQuestion, key="name").values()
    if not questions:
        raise InputError(f"{path} has no questions; give one JSON object a line")
    samples = [_sample(question) for question in questions]
    return MemoryDataset(samples, name="perspectives", location=str(path))


def _sample(question: ContestedQuestion) -> Sample:
    documents = merge_documents(question.documents, question.web or ())
    return Sample(
        id=question.name,
        input=question.query,
        metadata={
            "source": "perspectives",
            "documents": [document.model_dump(exclude_none=True) for document in documents],
        },
    )


def two_sided_outputs(study: "Study", system: str) -> list[dict[str, Any]]:
    """Return the two-sided summaries of a system, one record per answer.

    Each is a plain list `[{claim, perspectives}]`.

    Answers of another form are omitted, and so is the stance: in a valid summary the first claim
    is the one in favour.
    """
    answers = study.finished[study.finished["system"] == system]
    records = []
    for answer in answers.itertuples():
        output = _claims(answer.text)
        if output is not None:
            records.append({"id": answer.id, "question": answer.input, "output": output})
    return records


def _claims(answer: str) -> list[dict[str, Any]] | None:
    try:
        claims = read_summary(answer).claims
    except ReplyParseError:
        return None
    ordered = sorted(claims, key=lambda claim: claim.stance, reverse=True)
    return [claim.model_dump(exclude={"stance"}) for claim in ordered]
