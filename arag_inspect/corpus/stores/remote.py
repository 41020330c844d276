"""Client, requests and replies of a search service; see `arag-inspect corpus serve`."""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeVar

import httpx
import numpy as np
import numpy.typing as npt
import tenacity
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from ..._util.bounds import MOST_OFFSET
from ..._util.errors import InputError
from ..._util.network import failure
from ..address import exchange, service_client
from ..chunks import Chunk
from ..embedding.models import Embed
from ..mirror import data_root
from ..prepared.manifest import Manifest, missing_document
from ..search.filter import EVERYTHING, Filter
from ..search.ranking import Hit, KeywordPage

ROOT = "/v1"
"""Path of the service, with the version of requests and replies."""

CORPUS = "arag-corpus"
"""Header with the digest that identifies the chunks."""

BATCH = 200
"""Chunks that a client requests at once."""

_MOST_CHARACTERS = 100_000
_MOST_DOCUMENTS = 10_000


def _bounded_keywords(keywords: list[str]) -> list[str]:
    if sum(map(len, keywords)) > _MOST_CHARACTERS:
        raise ValueError(f"keywords have at most {_MOST_CHARACTERS:,} characters in total")
    return keywords


def _read_filter(allowed: object) -> object:
    """Return the filter of a request; null selects all chunks."""
    return EVERYTHING if allowed is None else allowed


def _bounded_documents(allowed: Filter) -> Filter:
    if len(allowed.doc_ids or ()) > _MOST_DOCUMENTS:
        raise ValueError(f"a filter has at most {_MOST_DOCUMENTS:,} documents")
    return allowed


_Count = Annotated[int, Field(ge=1, le=1_000)]
_Filter = Annotated[Filter, BeforeValidator(_read_filter), AfterValidator(_bounded_documents)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KeywordQuery(_Request):
    """A search by exact substrings."""

    keywords: Annotated[list[str], Field(max_length=1_000), AfterValidator(_bounded_keywords)]
    top_k: _Count
    offset: Annotated[int, Field(ge=0, le=MOST_OFFSET)] = 0
    allowed: _Filter = EVERYTHING


class SemanticQuery(_Request):
    """A search by meaning; the service embeds the text."""

    query: Annotated[str, Field(max_length=32_000)]
    top_k: _Count
    allowed: _Filter = EVERYTHING
    exact: bool = False


class ChunkIds(_Request):
    """Chunks to read."""

    chunk_ids: Annotated[list[int], Field(max_length=1_000)]


class Allowed(_Request):
    """A request for the chunk ids that a filter allows."""

    allowed: _Filter


class Found(BaseModel):
    """Hits of a search, best first, and their chunks."""

    hits: list[Hit]
    chunks: list[Chunk]


class FoundPage(Found):
    """A part of the chunks that a search by keywords finds."""

    hold_all: int
    hold_any: int
    complete: bool


F = TypeVar("F", bound=Found)
T = TypeVar("T")

_FOUND: TypeAdapter[Found] = TypeAdapter(Found)
_PAGE: TypeAdapter[FoundPage] = TypeAdapter(FoundPage)
_CHUNKS: TypeAdapter[list[Chunk]] = TypeAdapter(list[Chunk])
_INTEGERS: TypeAdapter[list[int]] = TypeAdapter(list[int])
_NAMES: TypeAdapter[list[str]] = TypeAdapter(list[str])

_CACHE_SIZE = 4_096
"""Maximum chunks in the cache."""

_SECONDS = 30.0
"""Seconds for which unanswered requests are retried."""

_BUSY = (502, 503, 504)


class RemoteStore:
    """Chunks that a search service reads and searches.

    The service embeds queries, so that no model is loaded here. Chunks that a search finds come
    with its reply. Unanswered requests are retried for half a minute.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        """Use the service that a mirror names; no request is sent yet."""
        self._address = data_root(path)
        self._manifest = manifest
        self._client = service_client(self._address)
        self._cache: dict[int, Chunk] = {}
        self._cache_lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of chunks."""
        return self._manifest.counts["chunks"]

    @property
    def doc_ids(self) -> list[str]:
        """Documents, in the order of their first chunk."""
        return self._ask("documents/names", None, _NAMES)

    def chunk(self, chunk_id: int) -> Chunk:
        """Read a chunk."""
        chunk = self._cache.get(chunk_id)
        if chunk is None:
            self._keep(self._ask("chunks", ChunkIds(chunk_ids=[chunk_id]), _CHUNKS))
            chunk = self._cache.get(chunk_id)
        if chunk is None:
            raise self._error(f"gave other chunks than {chunk_id}")
        return chunk

    def document_chunks(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Read the chunks of documents, document by document."""
        chunks: dict[str, list[Chunk]] = {doc_id: [] for doc_id in doc_ids}
        for names in _batches(list(chunks)):
            for chunk_ids in _batches(self.chunk_ids(Filter(tuple(names))).tolist()):
                for chunk in self._ask("chunks", ChunkIds(chunk_ids=chunk_ids), _CHUNKS):
                    if chunk.doc_id not in chunks:
                        raise self._error("gave chunks of other documents")
                    chunks[chunk.doc_id].append(chunk)
        for doc_id in doc_ids:
            if not chunks[doc_id]:
                raise missing_document(self._address, doc_id)
        return list(chain.from_iterable(chunks[doc_id] for doc_id in doc_ids))

    def chunk_ids(self, allowed: Filter) -> npt.NDArray[np.int64]:
        """Return the ids of the chunks that a filter allows, ascending."""
        return np.array(self._ask("chunks/ids", Allowed(allowed=allowed), _INTEGERS), np.int64)

    def keyword_page(
        self, keywords: Sequence[str], top_k: int, offset: int, allowed: Filter
    ) -> KeywordPage:
        """Find and count chunks by exact substrings, as the service's store does."""
        request = KeywordQuery(keywords=list(keywords), top_k=top_k, offset=offset, allowed=allowed)
        page = self._search("search/keyword", request, _PAGE)
        return KeywordPage(page.hits, page.hold_all, page.hold_any, page.complete)

    def semantic_search(
        self, query: str, top_k: int, allowed: Filter, embed: Embed, *, exact: bool
    ) -> list[Hit]:
        """Find chunks by meaning; the service embeds, and `embed` is not called."""
        request = SemanticQuery(query=query, top_k=top_k, allowed=allowed, exact=exact)
        return self._search("search/semantic", request, _FOUND).hits

    def load(self, load_model: Callable[[], object]) -> None:
        """Do nothing: the service has loaded the model."""

    def _search(self, path: str, request: BaseModel, reply: TypeAdapter[F]) -> F:
        result = self._ask(path, request, reply)
        if [hit.chunk_id for hit in result.hits] != [chunk.chunk_id for chunk in result.chunks]:
            raise self._error("gave other chunks than it found")
        self._keep(result.chunks)
        return result

    def _keep(self, chunks: list[Chunk]) -> None:
        with self._cache_lock:
            for chunk in chunks:
                self._cache[chunk.chunk_id] = chunk
            while len(self._cache) > _CACHE_SIZE:
                del self._cache[next(iter(self._cache))]

    def _ask(self, path: str, request: BaseModel | None, reply: TypeAdapter[T]) -> T:
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_delay(_SECONDS),
            wait=tenacity.wait_exponential(0.2, max=5),
            retry=tenacity.retry_if_exception_type(httpx.TransportError),
            reraise=True,
        )
        try:
            content = retrying(self._post, path, request.model_dump_json() if request else "{}")
            return reply.validate_json(content)
        except httpx.RequestError as error:
            raise InputError(
                f"the search service {self._address} does not answer "
                f"({failure(error, self._address)})"
            ) from error
        except ValidationError as error:
            raise self._error("sent a reply that cannot be read") from error

    def _post(self, path: str, body: str) -> bytes:
        reply = exchange(self._client, "POST", f"{ROOT}/{path}", body.encode())
        if reply.status in _BUSY:
            raise httpx.ConnectError(f"status {reply.status}")
        if reply.status == 404 and CORPUS not in reply.headers:
            raise self._error("is not an arag-inspect server of this version")
        if reply.status != 200:
            raise self._error(f"refused: {_error_text(reply.content)}")
        if reply.headers.get(CORPUS) != self._manifest.chunks_sha256:
            raise self._error("serves another corpus than when it was opened; start again")
        return reply.content

    def _error(self, problem: str) -> InputError:
        return InputError(f"the search service {self._address} {problem}")


def _batches(items: list[T]) -> Iterator[list[T]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def _error_text(content: bytes) -> str:
    """Return the error message in a reply."""
    try:
        reply: dict[str, Any] = TypeAdapter(dict[str, Any]).validate_json(content)
    except ValidationError:
        return "no reason given"
    return str(reply.get("error", "no reason given"))
