"""A search service: one corpus over HTTP, for agents on other machines."""

import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from socket import socket
from threading import Event
from typing import Any

import anyio.to_thread
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from pydantic import TypeAdapter

from .._util.cluster import ray_cluster
from .._util.errors import InputError, printable
from ..corpus import Chunk, Corpus, Hit
from ..corpus.manifest import MANIFEST, STORED
from ..corpus.stores.wire import (
    CORPUS,
    ROOT,
    Allowed,
    ChunkIds,
    DocumentNames,
    Found,
    KeywordQuery,
    SemanticQuery,
)

_LONGEST = 16 << 20
"""Most bytes of a request."""

_ANY: TypeAdapter[Any] = TypeAdapter(Any)


def search_app(corpus: str) -> FastAPI:
    """Make the service of a corpus, an ASGI application.

    Queries by meaning that arrive together are embedded together, as within one process.

    Args:
        corpus: Name, path or address of a prepared folder.

    Raises:
        InputError: It cannot be opened.
    """
    opened = Corpus.open(corpus)
    app = FastAPI(title="arag-inspect", docs_url=None, redoc_url=None, openapi_url=None)
    _bound(app, opened.manifest.chunks_sha256)
    _add_files(app, opened)
    _add_reading(app, opened)
    _add_searches(app, opened)
    return app


def serve_here(corpus: str, host: str, port: int, ready: Callable[[], None]) -> None:
    """Serve a corpus from this process until it is interrupted.

    Args:
        corpus: Name, path or address of a prepared folder.
        host: Address to listen on.
        port: Port to listen on.
        ready: Called when the service listens.
    """
    app = search_app(corpus)
    anyio.run(Corpus.open(corpus).load)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", server_header=False)
    with suppress(KeyboardInterrupt):  # which is how the service ends
        _Server(config, ready).run()


def serve_on_ray(
    corpus: str,
    *,
    host: str,
    port: int,
    replicas: int,
    address: str | None,
    ready: Callable[[], None],
) -> None:
    """Serve a corpus by Ray Serve until this process is interrupted.

    Args:
        corpus: Path that every node reaches, or an address.
        host: Address on which the cluster's head listens.
        port: Its port.
        replicas: Processes that search, each with the corpus and its model.
        address: Cluster, see `ray_cluster`; None starts Ray on this machine.
        ready: Called when all replicas are ready.
    """
    Corpus.open(corpus)
    with ray_cluster(address):
        from ray import serve

        serve.start(http_options={"host": host, "port": port})
        try:
            serve.run(deployment(corpus, replicas), name="arag-inspect")
            ready()
            ended = Event()
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: ended.set())
            ended.wait()
        finally:
            serve.delete("arag-inspect")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def deployment(corpus: str, replicas: int = 1) -> Any:
    """Return the service of a corpus as an application of Ray Serve, for `serve.run`.

    Args:
        corpus: Path that every node reaches, or an address.
        replicas: Processes that search.
    """
    from ray import serve

    def build() -> FastAPI:  # Ray takes a function only
        return search_app(corpus)

    served = serve.ingress(build)()
    return serve.deployment(served).options(name="corpus", num_replicas=replicas).bind()


def _add_files(app: FastAPI, corpus: Corpus) -> None:
    """Serve the manifest, and the files of the folder that are not the store's."""

    @app.get("/{name}")
    def read(name: str) -> Response:
        if name == MANIFEST:
            return Response(corpus.manifest.dump(), media_type="application/json")
        if name not in corpus.manifest.files or name in STORED:
            return JSONResponse({"error": "there is no such file"}, 404)
        return FileResponse(corpus.path / name)


def _add_reading(app: FastAPI, corpus: Corpus) -> None:
    run = anyio.to_thread.run_sync

    @app.post(f"{ROOT}/chunks")
    async def chunks(body: ChunkIds) -> Response:
        return _json(await corpus.chunks(body.chunk_ids))

    @app.post(f"{ROOT}/chunks/ids")
    async def chunk_ids(body: Allowed) -> Response:
        mask = await run(corpus.mask, body.allowed)
        return _json(mask.nonzero()[0].tolist())

    @app.post(f"{ROOT}/documents")
    async def documents(body: DocumentNames) -> Response:
        return _json(await run(corpus.document_chunks, body.doc_ids))

    @app.post(f"{ROOT}/documents/names")
    async def names() -> Response:
        return _json(await run(lambda: corpus.doc_ids))


def _add_searches(app: FastAPI, corpus: Corpus) -> None:
    async def reply(hits: Sequence[Hit]) -> Response:
        chunks: list[Chunk] = await corpus.chunks([hit.chunk_id for hit in hits])
        return _json(Found(hits=list(hits), chunks=chunks))

    @app.post(f"{ROOT}/search/keyword")
    async def keyword(query: KeywordQuery) -> Response:
        return await reply(await corpus.keyword_search(query.keywords, query.top_k, query.allowed))

    @app.post(f"{ROOT}/search/semantic")
    async def semantic(query: SemanticQuery) -> Response:
        return await reply(
            await corpus.semantic_search(query.query, query.top_k, query.allowed, exact=query.exact)
        )


def _bound(app: FastAPI, digest: str) -> None:
    """Limit requests, name the corpus in replies, and report errors as one JSON line."""

    @app.middleware("http")
    async def bounded(
        request: Request, proceed: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        length = request.headers.get("content-length", "" if request.method == "POST" else "0")
        if not length.isdigit() or int(length) > _LONGEST:
            reply: Response = _error(f"a request has at most {_LONGEST:,} bytes, and says so", 413)
        else:
            reply = await proceed(request)
        reply.headers[CORPUS] = digest
        return reply

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        detail = error.errors()[0]
        return _error(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}")

    @app.exception_handler(InputError)
    async def refused(_: Request, error: InputError) -> Response:
        return _error(error.message)

    @app.exception_handler(KeyError)
    async def missing(_: Request, error: KeyError) -> Response:
        return _error(f"there is no chunk {error}")


def _json(value: Any) -> Response:
    return Response(_ANY.dump_json(value), media_type="application/json")


def _error(message: str, status: int = 400) -> Response:
    return JSONResponse({"error": printable(message)}, status)
