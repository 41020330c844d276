"""A search service: one corpus over HTTP, for agents on other machines."""

import base64
import hmac
import os
import re
import signal
from asyncio import BaseTransport, TimerHandle
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from socket import socket
from threading import Event
from typing import Any

import anyio
import anyio.to_thread
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from pydantic import TypeAdapter
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from .._util.cluster import ray_cluster
from .._util.errors import InputError, printable
from .._util.network import is_loopback
from ..corpus import Chunk, Corpus, Hit
from ..corpus.manifest import MANIFEST, STORED
from ..corpus.stores.wire import (
    CORPUS,
    ROOT,
    Allowed,
    ChunkIds,
    Found,
    KeywordQuery,
    SemanticQuery,
)

_LONGEST = 4 << 20
"""Most bytes of a request."""

_LONGEST_ANSWER = 16 << 20
"""Most characters of the chunks in an answer."""

_SECONDS = 20.0
"""Time in which a request must have arrived."""

_LEAST_READ = 64 << 10
"""Bytes of an answer that a client must read in that time."""

_SHORTEST_TOKEN = 16

_ANY: TypeAdapter[Any] = TypeAdapter(Any)


@dataclass(frozen=True)
class Access:
    """Who may ask a service, and for what."""

    hosts: tuple[str, ...] = ()
    """Names under which it is asked, besides those of this machine."""

    token_digest: bytes | None = None
    """SHA-256 of the token that requests must carry; None if they need none."""

    with_samples: bool = False
    """Whether the folder's samples, facts and gold answers are given too."""

    def check(self, headers: Headers) -> None:
        """Raise if a request with these headers is refused.

        Raises:
            HTTPException: Its host is unknown, or it lacks the token.
        """
        name = _host_name(headers.get("host", ""))
        if not (is_loopback(name) or name in self.hosts):
            raise HTTPException(
                400, f"no service of the name {name!r}; serve it with --allow-host {name}"
            )
        if self.token_digest is not None and not self._has_token(headers.get("authorization", "")):
            raise HTTPException(
                401, "a token is needed; give corpus=http://${ARAG_TOKEN}@HOST:PORT"
            )

    def _has_token(self, authorization: str) -> bool:
        """Return whether a header carries the token: `Bearer TOKEN`, or as a part of `Basic`."""
        scheme, _, value = authorization.partition(" ")
        presented = [value.strip()] if scheme.lower() == "bearer" else []
        if scheme.lower() == "basic":
            with suppress(ValueError):
                text = base64.b64decode(value, validate=True).decode()
                presented = [text.removesuffix(":"), *text.partition(":")[::2]]
        assert self.token_digest is not None
        digests = [sha256(token.encode("utf-8", "replace")).digest() for token in presented]
        return any(hmac.compare_digest(digest, self.token_digest) for digest in digests)


def _host_name(host: str) -> str:
    """Return the name or address in a `Host` header, without port and brackets."""
    name = (
        re.sub(r":\d*$", "", host.strip().lower()) if host.count(":") == 1 or "[" in host else host
    )
    return name.strip("[]")


def make_access(
    host: str, hosts: Sequence[str] = (), token_env: str | None = None, with_samples: bool = False
) -> Access:
    """Decide who may ask a service.

    Args:
        host: Address that it listens on.
        hosts: More names under which it is asked.
        token_env: Environment variable with the token that requests must carry.
        with_samples: Whether the folder's samples, facts and gold answers are given too.

    Raises:
        InputError: Other machines reach the address and there is no token, or it is too short.
    """
    names = (host.lower(), *map(_host_name, hosts))
    if token_env is None:
        if not is_loopback(host):
            raise InputError(
                f"other machines reach {host}; put a token into an environment variable and give "
                "--token-env ARAG_TOKEN, or listen on 127.0.0.1"
            )
        return Access(names, None, with_samples)
    token = os.environ.get(token_env, "")
    if len(token) < _SHORTEST_TOKEN or not (token.isascii() and token.isprintable()):
        raise InputError(
            f"the token in ${token_env} must have at least {_SHORTEST_TOKEN} characters, all ASCII "
            f"(it has {len(token)})"
        )
    return Access(names, sha256(token.encode()).digest(), with_samples)


def search_app(corpus: str, access: Access = Access()) -> FastAPI:
    """Make the service of a corpus, an ASGI application.

    Queries by meaning that arrive together are embedded together, as within one process.

    Args:
        corpus: Name, path or address of a prepared folder.
        access: Who may ask, made by `make_access`; by default this machine, without a token.

    Raises:
        InputError: It cannot be opened.
    """
    opened = Corpus.open(corpus)
    app = FastAPI(title="arag-inspect", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(_AccessCheck, access=access, digest=opened.manifest.chunks_sha256)
    _add_errors(app)
    _add_files(app, opened, access.with_samples)
    _add_reading(app, opened)
    _add_searches(app, opened)
    return app


def serve_here(
    corpus: str, host: str, port: int, ready: Callable[[], None], access: Access
) -> None:
    """Serve a corpus from this process until it is interrupted.

    Args:
        corpus: Name, path or address of a prepared folder.
        host: Address to listen on.
        port: Port to listen on.
        ready: Called when the service listens.
        access: Who may ask.
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
    access: Access,
) -> None:
    """Serve a corpus by Ray Serve until this process is interrupted.

    Args:
        corpus: Path that every node reaches, or an address.
        host: Address on which the cluster's head listens.
        port: Its port.
        replicas: Processes that search, each with the corpus and its model.
        address: Cluster, see `ray_cluster`; None starts Ray on this machine.
        ready: Called when all replicas are ready.
        access: Who may ask.
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


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def deployment(corpus: str, replicas: int = 1, access: Access = Access()) -> Any:
    """Return the service of a corpus as an application of Ray Serve, for `serve.run`.

    Args:
        corpus: Path that every node reaches, or an address.
        replicas: Processes that search.
        access: Who may ask, made by `make_access`; by default this machine, without a token.
    """
    from ray import serve

    def build() -> FastAPI:  # Ray takes a function only
        return search_app(corpus, access)

    served = serve.ingress(build)()
    return serve.deployment(served).options(name="corpus", num_replicas=replicas).bind()


class _Connection(H11Protocol):
    """Ends connections that make no progress, as uvicorn does not.

    On these no whole header arrives, or the answer is not read, within `_SECONDS`.
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
        self._timer = self.loop.call_later(_SECONDS, self._check, request, unread)

    def _check(self, request: object, unread: int) -> None:
        still_unread = self.transport.get_write_buffer_size()
        is_same = self.cycle is request
        if is_same and unread and still_unread > max(0, unread - _LEAST_READ):
            self.transport.abort()
        elif is_same and not still_unread and (request is None or self.cycle.response_complete):
            self.transport.close()
        else:
            self._wait(self.cycle, still_unread)


class _AccessCheck:
    """Refuses requests that are not allowed, too long or too slow, and names the corpus in replies."""

    def __init__(self, app: ASGIApp, access: Access, digest: str) -> None:
        self._app, self._access, self._digest = app, access, digest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[CORPUS] = self._digest
            await send(message)

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._access.check(headers)
            body = await _read_body(receive, headers)
        except HTTPException as error:
            refusal = _error(str(error.detail), error.status_code, connection="close")
            await refusal(scope, receive, send)
            return
        whole: list[Message] = [{"type": "http.request", "body": body}]

        async def receive_whole() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, receive_whole, send_named)


async def _read_body(receive: Receive, headers: Headers) -> bytes:
    """Return the body of a request.

    Raises:
        HTTPException: It is too long or too slow, or breaks off.
    """
    too_long = HTTPException(413, f"a request has at most {_LONGEST:,} bytes")
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length[:20]) > _LONGEST:
        raise too_long
    content = bytearray()
    with anyio.move_on_after(_SECONDS):
        while (message := await receive())["type"] == "http.request":
            content += message.get("body", b"")
            if len(content) > _LONGEST:
                raise too_long
            if not message.get("more_body"):
                return bytes(content)
        raise HTTPException(400, "the request broke off")
    raise HTTPException(408, f"the request did not arrive within {_SECONDS:.0f} s")


def _add_files(app: FastAPI, corpus: Corpus, with_samples: bool) -> None:
    """Serve the manifest and, with the samples, the files of the folder that are not the store's."""
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
            return _error("there is no such file", 404)
        return FileResponse(corpus.path / name)


def _add_reading(app: FastAPI, corpus: Corpus) -> None:
    @app.post(f"{ROOT}/chunks")
    async def chunks(body: ChunkIds) -> Response:
        return await _json(lambda: _read(corpus, body.chunk_ids))

    @app.post(f"{ROOT}/chunks/ids")
    async def chunk_ids(body: Allowed) -> Response:
        return await _json(lambda: corpus.mask(body.allowed).nonzero()[0].tolist())

    @app.post(f"{ROOT}/documents/names")
    async def names() -> Response:
        return await _json(lambda: corpus.doc_ids)


def _add_searches(app: FastAPI, corpus: Corpus) -> None:
    async def reply(hits: Sequence[Hit]) -> Response:
        chunk_ids = [hit.chunk_id for hit in hits]
        return await _json(lambda: Found(hits=list(hits), chunks=_read(corpus, chunk_ids)))

    @app.post(f"{ROOT}/search/keyword")
    async def keyword(query: KeywordQuery) -> Response:
        return await reply(await corpus.keyword_search(query.keywords, query.top_k, query.allowed))

    @app.post(f"{ROOT}/search/semantic")
    async def semantic(query: SemanticQuery) -> Response:
        return await reply(
            await corpus.semantic_search(query.query, query.top_k, query.allowed, exact=query.exact)
        )


def _read(corpus: Corpus, chunk_ids: Sequence[int]) -> list[Chunk]:
    """Read chunks; refuse an answer that would be too long."""
    chunks, length = [], 0
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

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        detail = error.errors()[0]
        return _error(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}")

    @app.exception_handler(HTTPException)
    async def failed(_: Request, error: HTTPException) -> Response:
        return _error(str(error.detail), error.status_code)

    @app.exception_handler(InputError)
    async def refused(_: Request, error: InputError) -> Response:
        return _error(error.message)

    @app.exception_handler(KeyError)
    async def missing(_: Request, error: KeyError) -> Response:
        return _error(f"there is no chunk {error}")


async def _json(make: Callable[[], Any]) -> Response:
    """Make an answer and write it as JSON, in a worker thread."""
    content = await anyio.to_thread.run_sync(lambda: _ANY.dump_json(make()))
    return Response(content, media_type="application/json")


def _error(message: str, status: int = 400, **headers: str) -> Response:
    return JSONResponse({"error": printable(message)}, status, headers)
