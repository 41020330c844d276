"""Contested questions with documents on both sides: built-in samples, or the user's own."""

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from arag_inspect._util.errors import InputError
from arag_inspect._util.hashing import digest
from arag_inspect._util.json_values import parse_json
from arag_inspect.datasets.spec import DatasetSpec

from .two_sided import Document, Relevance

SHIPPED = "questions.jsonl"


class WebDocument(BaseModel):
    """A page found by a web search."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(pattern=r"^https?://\S+$")
    content: str
    relevance: Relevance


class ContestedQuestion(BaseModel):
    """One line of the data."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: str
    documents: tuple[Document, ...]
    web: tuple[WebDocument, ...] | None = None

    @field_validator("query")
    @classmethod
    def _strip_query(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("query is empty")
        return value.strip()


def merge_documents(local: Sequence[Document], web: Sequence[WebDocument]) -> list[Document]:
    """Return local documents, then relevant web documents with the URL as id.

    Args:
        local: Kept unchanged.
        web: Documents marked `NR` are omitted.

    Raises:
        InputError: An id occurs twice.
    """
    pages = [
        Document(id=page.url, content=page.content, relevance="R")
        for page in web
        if page.relevance == "R"
    ]
    merged = [*local, *pages]
    ids = [document.id for document in merged]
    duplicate = next((document_id for document_id in ids if ids.count(document_id) > 1), None)
    if duplicate is not None:
        raise InputError(f"document id {duplicate!r} is given twice")
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
    samples: dict[str, Sample] = {}
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        sample = _sample(line, f"{path}, line {number}")
        if str(sample.id) in samples:
            raise InputError(f"{path}, line {number}: the question is asked twice; leave one out")
        samples[str(sample.id)] = sample
    if not samples:
        raise InputError(f"{path} holds no questions; give one JSON object a line")
    return MemoryDataset(list(samples.values()), name="perspectives", location=str(path))


def _sample(line: str, location: str) -> Sample:
    question = _question(line, location)
    try:
        documents = merge_documents(question.documents, question.web or ())
    except InputError as error:
        raise InputError(f"{location}: {error.message}") from None
    if not documents:
        raise InputError(f"{location}: there is no document; give at least one")
    return Sample(
        id=_name(question.query),
        input=question.query,
        metadata={
            "source": "perspectives",
            "documents": [document.model_dump(exclude_none=True) for document in documents],
            "dropped_from_web": [page.url for page in question.web or () if page.relevance == "NR"],
        },
    )


def _question(line: str, location: str) -> ContestedQuestion:
    try:
        return ContestedQuestion.model_validate(parse_json(line))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"] if part not in ("int", "str")) or "line"
        reason = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{location}: {field}: {reason}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{location} is not JSON: {error}") from None


def _name(query: str) -> str:
    """Return an id derived from the question alone."""
    words = re.sub(r"[^a-z0-9]+", "-", query.lower()).strip("-")
    return f"{words[:48].rstrip('-')}-{digest(query, length=6)}".strip("-")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None


DATASET = DatasetSpec(
    name="perspectives",
    title="Contested questions",
    summary="Contested questions with documents on both sides; ships with the package.",
    read=None,
    evaluate="perspectives",
    corpus="",
    licence="MIT",
    citation="written for this package",
)
