"""Search service: one corpus over HTTP, for agents on other machines."""

import signal
from asyncio import BaseTransport, TimerHandle
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event
from typing import Any

import anyio
import anyio.to_thread
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from uvicorn.protocols.http.h11_impl import H11Protocol

from .._util.cluster import ray_cluster
from .._util.errors import InputError
from ..corpus import Chunk, Corpus, Hit
from ..corpus.prepared.manifest import MANIFEST, STORED
from ..corpus.stores.remote import (
    ROOT,
    Allowed,
    ChunkIds,
    Found,
    FoundPage,
    KeywordQuery,
    SemanticQuery,
)
from ._access import SECONDS, THIS_MACHINE, Access, AccessCheck, error_reply

_LONGEST_ANSWER = 16 << 20
"""Maximum characters of the chunks in a response."""

_LEAST_READ = 64 << 10
"""Bytes of a response that a client must read every `SECONDS`."""

_ANY: TypeAdapter[Any] = TypeAdapter(Any)


def search_app(corpus: str, access: Access = THIS_MACHINE) -> FastAPI:
    """Return an ASGI application that serves a corpus.

    Args:
        corpus: Name, path or address of a prepared folder.
        access: Access rules from `make_access`; by default this machine only, without a token.

    Raises:
        InputError: The corpus cannot be opened.
    """
    opened_corpus = Corpus.open(corpus)
    app = FastAPI(title="arag-inspect", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(AccessCheck, access=access, digest=opened_corpus.manifest.chunks_sha256)
    _add_errors(app)
    _add_files(app, opened_corpus, access.with_samples)
    _add_searches(app, opened_corpus)
    return app


def serve_here(
    corpus: str, host: str, port: int, ready: Callable[[], None], access: Access
) -> None:
    """Serve a corpus from this process until it is interrupted.

    Args:
        corpus: Name, path or address of a prepared folder.
        host: Address to listen on.
        port: Port to listen on.
        ready: Called when the service is listening.
        access: Access rules.
    """
    app = search_app(corpus, access)
    anyio.run(Corpus.open(corpus).load)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=_Connection,
        ws="none",
        log_level="warning",
        server_header=False,
    )
    server_socket = config.bind_socket()
    server_socket.listen(config.backlog)
    ready()
    with suppress(KeyboardInterrupt):  # which is how the service ends
        uvicorn.Server(config).run([server_socket])


def serve_on_ray(
    corpus: str,
    *,
    host: str,
    port: int,
    replicas: int,
    address: str | None,
    ready: Callable[[], None],
    access: Access,
) -> None:
    """Serve a corpus by Ray Serve until this process is interrupted.

    Args:
        corpus: Path that every node can reach, or an address.
        host: Address on which the cluster's head listens.
        port: Port on which it listens.
        replicas: Processes that search, each with the corpus and its model.
        address: Cluster, see `ray_cluster`; None starts Ray on this machine.
        ready: Called when all replicas are ready.
        access: Access rules.
    """
    Corpus.open(corpus)
    with ray_cluster(address):
        from ray import serve

        serve.start(http_options={"host": host, "port": port})
        try:
            serve.run(deployment(corpus, replicas, access), name="arag-inspect")
            ready()
            ended = Event()
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: ended.set())
            ended.wait()
        finally:
            serve.delete("arag-inspect")


def deployment(corpus: str, replicas: int = 1, access: Access = THIS_MACHINE) -> Any:
    """Return the service of a corpus as a Ray Serve application, for `serve.run`.

    Args:
        corpus: Path that every node can reach, or an address.
        replicas: Processes that search.
        access: Access rules from `make_access`; by default this machine only, without a token.
    """
    from ray import serve

    def build() -> FastAPI:  # Ray takes a function only
        return search_app(corpus, access)

    ingress_class = serve.ingress(build)()
    return serve.deployment(ingress_class).options(name="corpus", num_replicas=replicas).bind()


class _Connection(H11Protocol):
    """Closes stalled connections, which uvicorn keeps open.

    A connection is stalled if no complete header arrives, or the response is not read, within
    `SECONDS`.
    """

    _timer: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self._wait(None, 0)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _wait(self, request: object, unread: int) -> None:
        self._timer = self.loop.call_later(SECONDS, self._check, request, unread)

    def _check(self, request: object, unread: int) -> None:
        still_unread = self.transport.get_write_buffer_size()
        is_same = self.cycle is request
        if is_same and unread and still_unread > max(0, unread - _LEAST_READ):
            self.transport.abort()
        elif is_same and not still_unread and (request is None or self.cycle.response_complete):
            self.transport.close()
        else:
            self._wait(self.cycle, still_unread)


def _add_files(app: FastAPI, corpus: Corpus, with_samples: bool) -> None:
    """Serve the manifest and, with samples, the files of the folder outside the store."""
    files = {
        name: digest
        for name, digest in corpus.manifest.files.items()
        if with_samples or name in STORED
    }
    manifest = corpus.manifest.model_copy(update={"files": files}).dump()

    @app.get("/{name}")
    def read(name: str) -> Response:
        if name == MANIFEST:
            return Response(manifest, media_type="application/json")
        if name not in files or name in STORED:
            return error_reply("no such file", 404)
        return FileResponse(corpus.path / name)


def _add_searches(app: FastAPI, corpus: Corpus) -> None:
    """Serve the requests of `corpus.stores.remote`."""

    def chunks_of(hits: Sequence[Hit]) -> list[Chunk]:
        return _read_chunks(corpus, [hit.chunk_id for hit in hits])

    @app.post(f"{ROOT}/chunks")
    async def chunks(body: ChunkIds) -> Response:
        return await _json(lambda: _read_chunks(corpus, body.chunk_ids))

    @app.post(f"{ROOT}/chunks/ids")
    async def chunk_ids(body: Allowed) -> Response:
        return await _json(lambda: corpus.chunk_ids(body.allowed).tolist())

    @app.post(f"{ROOT}/documents/names")
    async def names() -> Response:
        return await _json(lambda: corpus.doc_ids)

    @app.post(f"{ROOT}/search/keyword")
    async def keyword(query: KeywordQuery) -> Response:
        page = await corpus.keyword_page(**dict(query))
        return await _json(lambda: FoundPage(**page._asdict(), chunks=chunks_of(page.hits)))

    @app.post(f"{ROOT}/search/semantic")
    async def semantic(query: SemanticQuery) -> Response:
        hits = await corpus.semantic_search(**dict(query))
        return await _json(lambda: Found(hits=hits, chunks=chunks_of(hits)))


def _read_chunks(corpus: Corpus, chunk_ids: Sequence[int]) -> list[Chunk]:
    """Read chunks; refuse a response that would be too long."""
    chunks = []
    length = 0
    for chunk_id in chunk_ids:
        chunks.append(corpus.chunk(chunk_id))
        length += len(chunks[-1].text)
        if length > _LONGEST_ANSWER:
            raise HTTPException(
                413, f"an answer has at most {_LONGEST_ANSWER:,} characters; ask for fewer chunks"
            )
    return chunks


def _add_errors(app: FastAPI) -> None:
    """Report errors as one JSON line."""

    async def failed(_: Request, error: Exception) -> Response:
        match error:
            case RequestValidationError():
                detail = error.errors()[0]
                return error_reply(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}")
            case HTTPException():
                return error_reply(str(error.detail), error.status_code)
            case InputError():
                return error_reply(error.message)
            case _:
                return error_reply(f"no chunk {error}")

    for kind in (RequestValidationError, HTTPException, InputError, KeyError):
        app.add_exception_handler(kind, failed)


async def _json(make: Callable[[], Any]) -> Response:
    """Compute a response and serialize it as JSON, in a worker thread."""
    content = await anyio.to_thread.run_sync(lambda: _ANY.dump_json(make()))
    return Response(content, media_type="application/json")
