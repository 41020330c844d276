"""What a search service is asked, and what it replies, as JSON."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ..chunking import Chunk
from ..dense_index import Hit
from .filter import Filter

ROOT = "/v1"
"""Path of the service, with the version of what is asked and replied."""

CORPUS = "arag-corpus"
"""Header with the digest that stands for the chunks."""

_Count = Annotated[int, Field(ge=1)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KeywordQuery(_Asked):
    """A search by exact substrings."""

    keywords: list[str]
    top_k: _Count
    allowed: Filter | None = None


class SemanticQuery(_Asked):
    """A search by meaning; the service embeds the text."""

    query: str
    top_k: _Count
    allowed: Filter | None = None
    exact: bool = False


class ChunkIds(_Asked):
    """Chunks to read."""

    chunk_ids: list[int]


class DocumentNames(_Asked):
    """Documents to read whole."""

    doc_ids: list[str]


class Allowed(_Asked):
    """A filter whose chunks are to be named."""

    allowed: Filter


class Found(BaseModel):
    """Chunks found, best first, and what they hold."""

    hits: list[Hit]
    chunks: list[Chunk]
