"""Two-sided summaries of a contested question: source documents, answer schema and rules."""

import re
from collections.abc import Iterator
from itertools import chain
from textwrap import shorten
from typing import Annotated, Any, Literal, NamedTuple

from inspect_ai.solver import TaskState
from inspect_ai.util import StoreModel
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
)

from arag_inspect._util.errors import InputError, first_error
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.text.replies import ReplyParseError, read_json
from arag_inspect.text.sentences import split_sentences

DocId = int | str
"""A number, or the URL of a document from the web."""

Relevance = Literal["R", "NR"]
Stance = Literal["for", "against"]

WORDS_AT_MOST = 30
"""Maximum number of words in a perspective."""

CHECKS = ("schema", "two_sides", "ids_exist", "each_used_once", "sentence", "word_limit")
"""Rules of a valid summary, in the order of reporting."""

_URL = re.compile(r"https?://[^\s<>\"'\])}]+")
_NUMBERED = re.compile(r"\W*+(?:doc(?:ument)?s?\b|source|id)?\W*+(?:id|no|nr)?\W*+(\d+)\W*", re.I)
_STANCES = {"pro": "for", "con": "against", "yes": "for", "no": "against"}


class SourceDocument(BaseModel):
    """One document of a question."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: DocId = Field(validation_alias=AliasChoices("id", "url"))
    content: str
    score: float | None = None
    """Score of the search that found it; higher is better."""

    relevance: Relevance | None = None
    """Relevance label, if known; not shown to any system."""

    @field_validator("id", mode="before")
    @classmethod
    def _check_id(cls, value: object) -> DocId:
        doc_id = normalize_id(value)
        if doc_id is None or (not isinstance(doc_id, int) and doc_id != value):
            raise ValueError(f"id {value!r} is neither a whole number nor a URL")
        return doc_id

    @field_validator("content")
    @classmethod
    def _check_content(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("content is empty")
        return value


_DOCUMENTS = TypeAdapter(Annotated[list[SourceDocument], Field(min_length=1)])


class Perspective(BaseModel):
    """One point of view in one sentence, with the documents that support it."""

    text: str = Field(description=f"One sentence of at most {WORDS_AT_MOST} words.")
    evidence_docs: list[DocId] = Field(description="Ids of the documents that it rests on.")

    @field_validator("evidence_docs", mode="before")
    @classmethod
    def _normalize_ids(cls, value: Any) -> Any:
        if isinstance(value, str):
            parts = re.split(r"[,;&]|\band\b", _URL.sub("", value))
            value = _URL.findall(value) + [part for part in parts if part.strip(" []")]
        items = value if isinstance(value, list) else [value]
        ids = [normalize_id(item) for item in items]
        return [item if doc is None else doc for item, doc in zip(items, ids, strict=True)]


class Claim(BaseModel):
    """One side of a question."""

    stance: Stance
    claim: str = Field(description="What this side holds, in one sentence.")
    perspectives: list[Perspective]

    @field_validator("stance", mode="before")
    @classmethod
    def _normalize_stance(cls, value: Any) -> Any:
        word = value.strip().lower() if isinstance(value, str) else value
        return _STANCES.get(word, word) if isinstance(word, str) else word


class TwoSided(BaseModel):
    """A summary that gives both sides of a question."""

    claims: list[Claim]

    @property
    def perspectives(self) -> list[Perspective]:
        """Perspectives of both sides, in order."""
        return [*chain.from_iterable(claim.perspectives for claim in self.claims)]


class Attempt(BaseModel):
    """A rejected answer."""

    documents: int
    """Number of documents shown to the model."""

    faults: list[str]


class PerspectiveTrace(StoreModel):
    """How a summary was produced: `state.store_as(PerspectiveTrace)`."""

    failed: list[Attempt] = Field(default_factory=list)
    """Rejected answers with their faults."""

    dropped: list[DocId] = Field(default_factory=list)
    """Documents omitted because the prompt was too long."""


def sample_documents(metadata: dict[str, Any]) -> list[SourceDocument]:
    """Return the documents of a sample.

    Raises:
        InputError: The metadata has no readable documents.
    """
    try:
        return _DOCUMENTS.validate_python(metadata.get("documents"))
    except ValidationError as error:
        raise InputError(
            f"`documents` of the sample's metadata cannot be read ({first_error(error)})"
        ) from None


def normalize_id(value: object) -> DocId | None:
    """Normalize an id; return None if the value is not an id.

    `Doc 3`, `[3]`, `"3"` and 3.0 become 3; a URL is unchanged.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return int(value) if value == value // 1 else None
    if not isinstance(value, str):
        return None
    if re.fullmatch(r"https?://\S+", value.strip()):
        return value.strip()
    url = _URL.search(value)
    if url is not None:
        return url[0].rstrip(".,;:")
    number = _NUMBERED.fullmatch(value.strip())
    return int(number[1]) if number else None


def read_summary(reply: str) -> TwoSided:
    """Parse a reply as a summary.

    Raises:
        ReplyParseError: The reply is not a JSON object of the expected form; the message states the
            part.
    """
    record = read_json(reply)
    if record is None:
        raise ReplyParseError("the reply is not one JSON object")
    try:
        return TwoSided.model_validate(record)
    except ValidationError as error:
        raise ReplyParseError(first_error(error)) from None


def faults(summary: TwoSided, ids: set[DocId]) -> dict[str, list[str]]:
    """Return the faults of a summary by check; an empty list for a passed check.

    Args:
        summary: Summary to check.
        ids: Ids of the existing documents.
    """
    faults_by_check: dict[str, list[str]] = {check: [] for check in CHECKS}
    for check, fault in (*_faults_of_claims(summary), *_faults_of_perspectives(summary, ids)):
        faults_by_check[check].append(fault)
    return faults_by_check


def _faults_of_claims(summary: TwoSided) -> Iterator[tuple[str, str]]:
    stances = [claim.stance for claim in summary.claims]
    if sorted(stances) != ["against", "for"]:
        sides = ", ".join(stances) or "none"
        text = f"there must be exactly two claims, one for and one against, not: {sides}"
        yield "two_sides", text
    for claim in summary.claims:
        if not claim.perspectives:
            yield "schema", f"the claim {claim.stance} has no perspective"


def _faults_of_perspectives(summary: TwoSided, ids: set[DocId]) -> Iterator[tuple[str, str]]:
    used_documents: set[DocId] = set()
    for perspective in summary.perspectives:
        text = " ".join(perspective.text.split())
        quote = f"the perspective “{shorten(text, 60, placeholder='…')}”"
        if not perspective.evidence_docs:
            yield "schema", f"{quote} names no document in evidence_docs"
        for doc in perspective.evidence_docs:
            if doc not in ids:
                yield "ids_exist", f"{quote} names document {doc!r}, which does not exist"
            if doc in used_documents:
                yield "each_used_once", f"document {doc!r} is used more than once"
            used_documents.add(doc)
        if len(split_sentences(text)) != 1 or not re.search(r"[.!?][\"'”’)]*$", text):
            yield "sentence", f"{quote} is not one whole sentence"
        words = len(text.split())
        if words > WORDS_AT_MOST:
            yield "word_limit", f"{quote} has {words} words, not at most {WORDS_AT_MOST}"


class Answered(NamedTuple):
    """A summary with its documents."""

    summary: TwoSided
    documents: dict[DocId, SourceDocument]


def documents_of(state: TaskState) -> dict[DocId, SourceDocument]:
    """Return the documents of a sample by id.

    Raises:
        UnscoredError: They are missing or unreadable.
    """
    try:
        return {document.id: document for document in sample_documents(state.metadata)}
    except InputError as error:
        raise UnscoredError("no_documents", error.message) from None


def read_answer(state: TaskState) -> Answered:
    """Return a sample's summary and documents.

    Raises:
        UnscoredError: The summary or the documents are missing or unreadable.
    """
    documents = documents_of(state)
    try:
        return Answered(read_summary(state.output.completion), documents)
    except ReplyParseError as error:
        reason = f"The answer is not a two-sided summary: {error}."
        raise UnscoredError("unreadable_answer", reason) from None
