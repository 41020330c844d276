"""The metadata of a sample: its subject, facts, gold chunks and text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from inspect_ai.solver import TaskState
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from .._util.encodable import encodable
from .._util.errors import InputError, first_error
from .additions import ADDITIONS

UNANSWERABLE = "unanswerable"
"""Question type of a sample whose question the documents do not answer."""

Basis = Literal["gaap", "adjusted"]
FactStatus = Literal["actual", "guidance"]
Direction = Literal["up", "down", "flat"]
FactScale = Literal["one", "thousand", "million", "billion"]
FactUnit = Literal["usd", "usd_per_share", "percent", "basis_points", "count"]


class Fact(BaseModel):
    """One statement of a document, with its figure parsed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fact_id: str
    """Unique within the document."""

    metric: str
    """Lower-case metric: `revenue`, `diluted eps`, `gross margin`, `free cash flow`."""

    value: float | None
    """The figure as written, before its scale (`4.2` in "$4.2 billion"); None if the fact has none.
    """

    value_high: float | None = None
    """Upper end if the figure is a range; `value` is then the lower end."""

    scale: FactScale = "one"
    """Power of a thousand that multiplies the figure."""

    unit: FactUnit | None = None
    """Unit of the figure; None if there is no figure."""

    period: str
    """Period of the figure, e.g. `Q3_2021` or `FY_2022`."""

    basis: Basis | None = None
    """Accounting basis, if the document states it."""

    status: FactStatus = "actual"
    """Reported result or outlook."""

    direction: Direction | None = None
    """Stated direction of change."""

    sentence: str
    """The sentence of the document that states the fact, verbatim."""


Importance = Literal["vital", "okay"]
"""Importance of a fact: a good answer must state it (`vital`), or may (`okay`)."""


class SampleFact(BaseModel):
    """A fact from the fact bank against which an answer is scored."""

    model_config = ConfigDict(frozen=True)

    id: str
    text: str
    chunk_id: int | None = None
    """Chunk that contains the fact; None if missing or not logged."""

    chunk_ids: tuple[int, ...] = ()
    """Chunks that contain the fact together, instead of `chunk_id`."""

    sentence: str = ""
    """Sentence of the document that states the fact, if it differs from the text."""

    importance: Importance | None = None
    """None if not judged."""

    @property
    def holders(self) -> tuple[int, ...]:
        """The chunks that contain it, all of which are needed; empty if unknown."""
        return self.chunk_ids or (() if self.chunk_id is None else (self.chunk_id,))


QUESTION = "qa"
"""Style of questions; answers of other styles are summaries."""

SECTION_STYLES = ("query_focused", "section", "comparison")
"""Styles of summaries whose gold is whole sections, which no system needs to read completely.

Unless the samples have passages of evidence: see `answer_kinds`.
"""


def answer_kinds(styles: Iterable[str], evidence: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the style of each answer, or `summary` if the style's gold is not whole sections.

    Whole sections have no passages of evidence; a question set may lack them for some questions.

    Args:
        styles: Style of each answer.
        evidence: Passages of evidence of each answer.
    """
    styles = tuple(styles)
    styled = zip(styles, evidence, strict=True)
    passage_styles = {style for style, passages in styled if passages}
    summary_styles = passage_styles.intersection(SECTION_STYLES)
    return tuple("summary" if style in summary_styles else style for style in styles)


def known_styles() -> tuple[str, ...]:
    """Return the styles of this package and of the installed benchmarks."""
    added = (addition.style for addition in ADDITIONS.value if addition.style)
    return tuple(dict.fromkeys((QUESTION, "summary", "earnings_call", *SECTION_STYLES, *added)))


class GoldChunks(NamedTuple):
    """Chunks that contain the evidence, and other chunks with copies of it."""

    chunk_ids: tuple[int, ...]
    copies: Mapping[int, tuple[int, ...]]
    """Other chunks with the same evidence verbatim, by gold chunk."""

    of_evidence: tuple[tuple[int, ...], ...] = ()
    """The gold chunks with each piece of the evidence, in its order; empty if not known."""

    @property
    def all(self) -> frozenset[int]:
        """Ids of the gold chunks and of all copies."""
        return frozenset(self.chunk_ids).union(*self.copies.values())

    @property
    def by_chunk(self) -> dict[int, tuple[int, ...]]:
        """The copies of each gold chunk, including chunks without copies."""
        return {gold: tuple(self.copies.get(gold, ())) for gold in self.chunk_ids}

    def find_in(self, chunk_ids: Iterable[int]) -> set[int]:
        """Return the gold chunks that occur in `chunk_ids`, directly or as a copy."""
        ids = set(chunk_ids)
        return {g for g, copies in self.by_chunk.items() if ids.intersection((g, *copies))}


class GoldPage(BaseModel):
    """A page with evidence, which does not depend on how documents are chunked."""

    model_config = ConfigDict(frozen=True)

    doc_id: str
    page: int
    """Its number, from 1."""

    chunk_ids: tuple[int, ...] = ()
    """Chunks with text of the page."""


class SampleMetadata(BaseModel):
    """Metadata of a sample; numbers may be texts, and missing values null."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    source: str = ""
    """Data set of the sample."""

    corpus: str = ""
    """Prepared corpus to search: name in the datasets folder, or path."""

    doc_ids: tuple[str, ...] = ()
    """Documents of the sample."""

    company: str = ""
    period: str = ""
    group: str = ""
    """Samples of one group are not independent; see `group_of`."""

    style: str = QUESTION
    """Kind of answer, one of `known_styles`; selects the wording of the prompts."""

    target_length: int | None = None
    """Approximate length of the answer, in words."""

    question_type: str | None = None
    question_reasoning: str | None = None
    """Operation that gives the answer, e.g. `Subtraction`."""

    undamaged_question: str = ""
    """The question before typos were made in it; see `arag_inspect.run.damage.damage`."""

    gold_chunk_ids: tuple[int, ...] = ()
    """Chunks that hold the evidence."""

    gold_copies: dict[int, tuple[int, ...]] = {}
    """Other chunks with the same evidence verbatim, any of which suffices, by gold chunk."""

    gold_pages: tuple[GoldPage, ...] = ()
    """Pages with the evidence, as stated with the question."""

    partial_chunk_ids: tuple[int, ...] = ()
    """Chunks with the evidence of other questions on the same documents."""

    evidence: tuple[str, ...] = ()
    """Sentences that support the answer."""

    evidence_chunk_ids: tuple[tuple[int, ...], ...] = ()
    """Gold chunks with each of these sentences, none if it was not found; empty if not known."""

    facts: tuple[SampleFact, ...] = ()
    """Facts against which answers are scored, equal for every system."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, fields: Any) -> Any:
        is_named = isinstance(fields, Mapping)
        return {k: v for k, v in fields.items() if v is not None} if is_named else fields

    @property
    def gold(self) -> GoldChunks:
        """The gold chunks with their copies."""
        are_known = len(self.evidence_chunk_ids) == len(self.evidence)
        of_evidence = self.evidence_chunk_ids if are_known else ()
        return GoldChunks(self.gold_chunk_ids, self.gold_copies, of_evidence)


def most_words(target_length: int) -> int:
    """Return the maximum words for a target length: 15 % more, to the nearest multiple of 5."""
    return max(target_length, 5 * round(0.23 * target_length))


CLUSTER_NOUN = "cluster_noun"
"""Key in a log's metadata of the noun for a sample's `company`, e.g. `case`."""


def group_of(metadata: Mapping[str, Any]) -> str:
    """Return the name of a sample's cluster in the statistics.

    This is its `group`, else its company, else its only document; empty if all are missing.
    """
    documents = metadata.get("doc_ids") or ()
    only_document = (
        documents[0] if isinstance(documents, list | tuple) and len(documents) == 1 else ""
    )
    names = (metadata.get("group"), metadata.get("company"), only_document)
    plain = [name for name in names if isinstance(name, str | int | float) and name == name]
    return next((str(name) for name in plain if name != ""), "")


def sample_metadata(state: TaskState) -> SampleMetadata:
    """Read the metadata of a sample; missing fields have their defaults.

    Raises:
        InputError: A field has an invalid value.
    """
    try:
        return SampleMetadata.model_validate(state.metadata or {})
    except ValidationError as error:
        reason = first_error(error)
        raise InputError(
            f"metadata of sample {state.sample_id} cannot be read: {reason}"
        ) from error


def require_corpus(metadata: SampleMetadata, state: TaskState) -> str:
    """Return the corpus of the sample.

    Raises:
        InputError: The sample has no corpus.
    """
    if not metadata.corpus:
        raise InputError(
            f"sample {state.sample_id} has no corpus in its metadata; add the name of one made "
            f"by `arag-inspect prepare`: Sample(..., metadata={{'corpus': 'NAME'}})"
        )
    return metadata.corpus


def sample_metadata_or_default(state: TaskState) -> SampleMetadata:
    """Read like `sample_metadata`, but replace invalid fields with their defaults."""
    fields = state.metadata or {}
    try:
        return SampleMetadata.model_validate(fields)
    except ValidationError as error:
        unread = {fault["loc"][0] for fault in error.errors()}
        return SampleMetadata.model_validate({k: v for k, v in fields.items() if k not in unread})


def replace_surrogates(state: TaskState) -> None:
    """Make a sample's metadata, messages, store and output encodable."""
    state.metadata = encodable(state.metadata)
    messages = list(state.messages)
    encodable_messages = encodable(messages)
    if encodable_messages is not messages:
        state.messages = encodable_messages
    state.output = encodable(state.output)
    for name, value in list(state.store.items()):
        encodable_value = encodable(value)
        if encodable_value is not value:
            state.store.set(name, encodable_value)
