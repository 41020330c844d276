"""The layout of a score's metadata, which scorers write, and metrics, repetitions and reports read.

A log may hold anything under these keys: it may be older, edited, or from another package. Entries
that do not fit the layout are read as missing.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Any, TypeVar

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    OnErrorOmit,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

T = TypeVar("T")
RecordType = TypeVar("RecordType", bound=BaseModel)


def _none_if_wrong(value: object, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


def _read_mapping(value: object) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _read_list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


AsText = Annotated[str, BeforeValidator(str)]
IfValid = Annotated[T | None, WrapValidator(_none_if_wrong)]
"""A value, or None in place of a value that does not fit."""

Entries = Annotated[list[OnErrorOmit[T]], BeforeValidator(_read_list)]
"""The entries of a list that fit."""

Keyed = Annotated[dict[Any, Any], BeforeValidator(_read_mapping)]

Number = Annotated[float, Field(allow_inf_nan=False)]


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class ScoredFact(_Record):
    """A reference fact, and whether the answer states it; or a fact of either side of a match."""

    id: AsText
    text: AsText = ""
    verdict: IfValid[str] = None
    """`stated`, `partly`, `contradicted` or `missing`; of a match `TP`, `FP` or `FN`."""

    said: IfValid[str] = None
    """Sentence of the answer that decides."""

    reasoning: IfValid[str] = None
    """The judge's reasoning on a match; None if it did not reply."""

    rule: IfValid[str] = None
    """Rule of the profile that reversed the judge's verdict on a match."""


class CriterionRecord(_Record):
    """A criterion of a rubric, and whether the answer meets it."""

    criterion: AsText
    category: IfValid[str] = None
    points: Number
    met: bool


class FigureRecord(_Record):
    """A figure of an answer: its text, and where it begins and ends."""

    text: str
    span: Annotated[tuple[int, int], BeforeValidator(tuple)]


class ClaimRecord(_Record):
    """A figure of an answer, and its match in the text read."""

    figure: FigureRecord
    verdict: IfValid[str] = None
    source: IfValid[str] = None
    """Sentence that decides, or the nearest one."""

    differs: Entries[str] = []
    """Properties in which that sentence differs from the claim."""


class SentenceRecord(_Record):
    """A sentence of an answer, and the nearest sentence of the text read."""

    sentence: AsText
    nearest: IfValid[str] = None


class PartRecord(_Record):
    """A section or topic of a document, and whether the summary uses it and the system read it."""

    name: AsText = Field("", validation_alias=AliasChoices("section", "topic"))
    is_used: Annotated[bool, BeforeValidator(bool)] = Field(False, validation_alias="sentences")
    is_read: Annotated[bool, BeforeValidator(bool)] = Field(False, validation_alias="read")


class JudgeRecord(_Record):
    """One judge's answer to one question; scorers add fields of their own."""

    model_config = ConfigDict(extra="allow")

    grader: Annotated[str, BeforeValidator(lambda value: str(value or "unknown"))] = "unknown"
    verdict: Any = None
    """A number, a word, a list of codes, or an object with lists."""

    f1: IfValid[Number] = None
    """Agreement of facts, in place of one verdict."""

    reason: IfValid[AsText] = None
    """Why there is no verdict."""

    contradiction: IfValid[AsText] = None
    """How the verdict contradicts itself."""

    statements: Entries[dict[str, Any]] = []
    """Statements of the answer that the judge listed with its grade."""

    items: Entries[dict[str, Any]] = []
    """Items of the reference that it listed."""

    not_found: IfValid[int] = None
    """Number of these that are not, word for word, in the answer or the reference."""

    part: IfValid[str] = None
    """Part of the answer in question."""

    raw: Entries[AsText] = []
    """The judge's replies."""

    criteria: Entries[dict[str, Any]] = []
    """Criteria, each a `CriterionRecord`."""

    gold: Entries[ScoredFact] = []
    """Facts of the reference that were matched."""

    predicted: Entries[ScoredFact] = []
    """Facts of the answer that were matched."""

    @property
    def effort(self) -> Mapping[str, Any]:
        """Tokens, dollars and milliseconds (the fields of `JudgingCost`), unchecked."""
        return self.model_extra or {}


class ScoreMetadata(_Record):
    """A score's metadata; its `scale` is read by `measure.scale_of`."""

    signature: IfValid[str] = None
    """How the value was measured, in one line."""

    shares: Keyed = {}
    """Values of further measures, by key."""

    unscored: Keyed = {}
    """Why a key of the value is NaN, by key."""

    verdicts: Keyed = {}
    """The number of each judge, by name; the value is their mean."""

    judges: Entries[JudgeRecord] = []
    """Answers of each judge to each question."""

    judges_context: Entries[JudgeRecord] = []
    """The same, for questions about the text read, if `judges` were about the document."""

    facts: Entries[ScoredFact] = []
    """Reference facts sought in the answer."""

    claims: Entries[ClaimRecord] = []
    """Figures of the answer that were checked."""

    sentences: Entries[SentenceRecord] = []
    """Sentences of the answer that were compared with the text read."""

    sections: Entries[PartRecord] = []
    """Sections of the documents."""

    topics: Entries[PartRecord] = []
    """Topics of the documents."""


def read_metadata(stored: object) -> ScoreMetadata:
    """Return a score's metadata, as far as it fits the layout."""
    return ScoreMetadata.model_validate(stored if isinstance(stored, dict) else {})


def read_records(entries: Iterable[object], kind: type[RecordType]) -> list[RecordType]:
    """Return the entries of a log that fit the layout of a record."""
    records = []
    for entry in entries:
        with suppress(ValidationError):
            records.append(kind.model_validate(entry))
    return records
