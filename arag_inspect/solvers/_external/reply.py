"""The answer of a live system: its text, passages and cost, and where the passages are in a corpus."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

import anyio.to_thread
from inspect_ai.model import StopReason
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictStr,
    ValidationError,
)

from ..._util.encodable import encodable
from ...corpus import Chunk, Corpus, align
from ...text.sentences import sentences as split_sentences
from ...types.trace import Passage

MOST_TEXT = 2_000_000
"""Most characters of an answer and its passages together."""

_Count = Annotated[int | None, Field(ge=0, le=10**12)]
_Amount = Annotated[float | None, Field(ge=0, le=1e9)]


class TargetError(RuntimeError):
    """A live system gave no usable answer; the message says why in one line."""


class GivenPassage(BaseModel):
    """A passage as the system names it: by chunk id, by its text, or by both."""

    chunk_id: int | None = Field(
        None, validation_alias=AliasChoices("chunk_id", AliasPath("metadata", "chunk_id"))
    )
    text: StrictStr | None = Field(
        None, validation_alias=AliasChoices("text", "content", "page_content", "passage")
    )
    score: float | None = Field(None, allow_inf_nan=False)


def _as_passage(value: object) -> object:
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, BaseModel):  # e.g. a LangChain document
        return value.model_dump()
    return {"chunk_id": value} if isinstance(value, int) else value


class Step(BaseModel):
    """A search that the system made."""

    query: str
    tool: str = "search"
    chunk_ids: list[int] = Field(default_factory=list)


class EndpointReply(BaseModel):
    """An answer in the form that the solver works with; only `text` is needed."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    text: StrictStr = Field(
        validation_alias=AliasChoices("text", "answer", "output", "response", "result")
    )
    passages: list[Annotated[GivenPassage, BeforeValidator(_as_passage)]] | None = Field(
        None, validation_alias=AliasChoices("passages", "contexts", "sources", "documents")
    )
    """None: the system does not report what it read."""

    input_tokens: _Count = Field(
        None,
        validation_alias=AliasChoices(
            "input_tokens", AliasPath("tokens", "input"), AliasPath("usage", "prompt_tokens")
        ),
    )
    output_tokens: _Count = Field(
        None,
        validation_alias=AliasChoices(
            "output_tokens", AliasPath("tokens", "output"), AliasPath("usage", "completion_tokens")
        ),
    )
    cost_usd: _Amount = Field(
        None, validation_alias=AliasChoices("cost_usd", "cost", "total_cost_usd")
    )
    steps: _Count | list[Step] = None
    """Calls of a model, or a list of searches."""

    stop_reason: StopReason = "stop"


def read_reply(answer: object, redact: Callable[[str], str] = str) -> EndpointReply:
    """Read a system's answer: text, or a mapping with `text` and optional fields.

    Raises:
        TargetError: It is of another type, empty, too large, or a field is invalid.
    """
    fields = {"text": answer} if isinstance(answer, str) else answer
    if not isinstance(fields, Mapping):
        raise TargetError(
            f"answered with a value of type {type(answer).__name__}; give text, or a mapping with "
            "text and perhaps passages"
        )
    try:
        reply = encodable(EndpointReply.model_validate(dict(fields)))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise TargetError(
            f"{field} of the answer: {first['msg']}; got {redact(f'{fields!s:.10000}'):.300}"
        ) from None
    size = len(reply.text) + sum(len(passage.text or "") for passage in reply.passages or ())
    if size > MOST_TEXT:
        raise TargetError(
            f"answer and passages hold {size:,} characters; at most {MOST_TEXT:,} are taken"
        )
    if not reply.text.strip():
        raise TargetError("answered with empty text")
    for number, passage in enumerate(reply.passages or (), start=1):
        if passage.chunk_id is None and not (passage.text or "").strip():
            raise TargetError(f"passage {number} has neither chunk_id nor text")
    return reply


_CANDIDATES = 20
"""Candidate chunks searched for the text of a passage."""

_LEAST_SHARE = 0.2
"""Share of a passage or chunk, whichever is shorter, that must match for the chunk to count as
read.
"""

_LONG_WORD = 5

_MOST_RECORDED = 5 * MOST_TEXT
"""Characters of the passages of a sample: a longer part of a log is not read."""


class Matched(NamedTuple):
    """Passages of a reply as chunks, in the order given."""

    passages: list[Passage]
    """Chunks; text found in no chunk has a negative id."""

    ranked: dict[int, float | None]
    """Chunks of the corpus in the order given, with the score of their passage."""

    by_id: int
    by_text: int
    unmatched: int


async def match_passages(given: Sequence[GivenPassage], corpus: Corpus | None) -> Matched:
    """Match passages to chunks, by id or else by text.

    A passage with other boundaries than ours becomes several chunks, each with its matching
    sentences. Text in no chunk is kept under a negative id, so that faithfulness
    is judged against all text read and precision counts it as not gold.

    Args:
        given: Passages of a reply.
        corpus: Corpus to search; None if the sample names none.

    Raises:
        TargetError: A chunk id is unknown, or they are too long for a log.
    """
    texts: dict[int, list[str]] = {}
    ranked: dict[int, float | None] = {}
    counts = {"id": 0, "text": 0, "none": 0}
    for passage in given:
        if passage.chunk_id is not None:
            chunk = _chunk(corpus, passage.chunk_id)
            parts = {chunk.chunk_id: passage.text or chunk.text}
            counts["id"] += 1
        else:
            parts = await _find_chunks(passage.text or "", corpus)
            counts["text" if parts else "none"] += 1
            parts = parts or {-counts["none"]: passage.text or ""}
        for chunk_id, text in parts.items():
            chunk_texts = texts.setdefault(chunk_id, [])
            if not any(text in chunk_text for chunk_text in chunk_texts):
                chunk_texts.append(text)
            if chunk_id >= 0:
                ranked.setdefault(chunk_id, passage.score)
    passages = [
        _passage(chunk_id, "\n".join(chunk_texts), corpus if chunk_id >= 0 else None)
        for chunk_id, chunk_texts in texts.items()
    ]
    size = sum(len(passage.text) for passage in passages)
    if size > _MOST_RECORDED:
        raise TargetError(
            f"names {len(passages):,} passages of {size:,} characters; at most "
            f"{_MOST_RECORDED:,} are recorded"
        )
    return Matched(passages, ranked, counts["id"], counts["text"], counts["none"])


def _chunk(corpus: Corpus | None, chunk_id: int) -> Chunk:
    if corpus is None:
        raise TargetError(f"names chunk {chunk_id}, but the sample has no corpus")
    try:
        return corpus.chunk(chunk_id)
    except KeyError:
        raise TargetError(
            f"names chunk {chunk_id}; ids of this corpus go from 0 to {len(corpus) - 1}"
        ) from None


def _passage(chunk_id: int, text: str, corpus: Corpus | None) -> Passage:
    if corpus is None:
        return Passage(chunk_id=chunk_id, doc_id="", prefix="", text=text, loop=1)
    chunk = corpus.chunk(chunk_id)
    return Passage(chunk_id=chunk_id, doc_id=chunk.doc_id, prefix=chunk.prefix, text=text, loop=1)


async def _find_chunks(text: str, corpus: Corpus | None) -> dict[int, str]:
    """Split a text into the chunks in which its sentences occur.

    Return nothing if hardly any sentence occurs in a chunk.
    """
    if corpus is None:
        return {}
    sentences = split_sentences(text)
    words = {word for word in text.lower().split() if len(word) >= _LONG_WORD}
    hits = await corpus.keyword_search([*sentences, *sorted(words)], _CANDIDATES)
    chunks = [corpus.chunk(hit.chunk_id) for hit in hits]
    return await anyio.to_thread.run_sync(_split_by_chunk, text, sentences, chunks)


def _split_by_chunk(text: str, sentences: Sequence[str], chunks: Sequence[Chunk]) -> dict[int, str]:
    chunk_ids = [align(sentence, chunks).chunk_id for sentence in sentences]
    covered = Counter[int]()
    for sentence, chunk_id in zip(sentences, chunk_ids, strict=True):
        if chunk_id is not None:
            covered[chunk_id] += len(sentence)
    lengths = {chunk.chunk_id: min(len(text), len(chunk.text)) for chunk in chunks}
    read = {i: n for i, n in covered.items() if n >= _LEAST_SHARE * lengths[i]}
    if not read:
        return {}
    most = max(read, key=lambda chunk_id: read[chunk_id])
    parts: dict[int, list[str]] = {}
    for sentence, chunk_id in zip(
        sentences, chunk_ids, strict=True
    ):  # sentences found elsewhere stay with this part
        parts.setdefault(chunk_id if chunk_id in read else most, []).append(sentence)
    return {chunk_id: " ".join(part) for chunk_id, part in parts.items()}
