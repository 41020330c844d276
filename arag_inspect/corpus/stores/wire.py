"""Requests and replies of a search service, as JSON."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ..chunking import Chunk
from ..dense_index import Hit
from .filter import Filter

ROOT = "/v1"
"""Path of the service, with the version of requests and replies."""

CORPUS = "arag-corpus"
"""Header with the digest that stands for the chunks."""

_Count = Annotated[int, Field(ge=1)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KeywordQuery(_Request):
    """A search by exact substrings."""

    keywords: list[str]
    top_k: _Count
    allowed: Filter | None = None


class SemanticQuery(_Request):
    """A search by meaning; the service embeds the text."""

    query: str
    top_k: _Count
    allowed: Filter | None = None
    exact: bool = False


class ChunkIds(_Request):
    """Chunks to read."""

    chunk_ids: list[int]


class DocumentNames(_Request):
    """Documents to read in full."""

    doc_ids: list[str]


class Allowed(_Request):
    """A filter whose chunks are to be named."""

    allowed: Filter


class Found(BaseModel):
    """Hits of a search, best first, and their chunks."""

    hits: list[Hit]
    chunks: list[Chunk]
