"""Requests and replies of a search service, as JSON."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..chunking import Chunk
from ..dense_index import Hit
from .filter import Filter

ROOT = "/v1"
"""Path of the service, with the version of requests and replies."""

CORPUS = "arag-corpus"
"""Header with the digest that stands for the chunks."""

BATCH = 200
"""Chunks for which a client asks at once."""

_MOST_CHARACTERS = 100_000
_MOST_DOCUMENTS = 10_000


def _bounded_keywords(keywords: list[str]) -> list[str]:
    if sum(map(len, keywords)) > _MOST_CHARACTERS:
        raise ValueError(f"keywords have at most {_MOST_CHARACTERS:,} characters in all")
    return keywords


def _bounded_documents(allowed: Filter) -> Filter:
    if len(allowed.doc_ids or ()) > _MOST_DOCUMENTS:
        raise ValueError(f"a filter names at most {_MOST_DOCUMENTS:,} documents")
    return allowed


_Count = Annotated[int, Field(ge=1, le=1_000)]
_Filter = Annotated[Filter, AfterValidator(_bounded_documents)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KeywordQuery(_Request):
    """A search by exact substrings."""

    keywords: Annotated[list[str], Field(max_length=1_000), AfterValidator(_bounded_keywords)]
    top_k: _Count
    allowed: _Filter | None = None


class SemanticQuery(_Request):
    """A search by meaning; the service embeds the text."""

    query: Annotated[str, Field(max_length=32_000)]
    top_k: _Count
    allowed: _Filter | None = None
    exact: bool = False


class ChunkIds(_Request):
    """Chunks to read."""

    chunk_ids: Annotated[list[int], Field(max_length=1_000)]


class Allowed(_Request):
    """A filter whose chunks are to be named."""

    allowed: _Filter


class Found(BaseModel):
    """Hits of a search, best first, and their chunks."""

    hits: list[Hit]
    chunks: list[Chunk]
