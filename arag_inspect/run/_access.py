"""Access control of a search service: hosts, tokens, content and request size."""

import base64
import hmac
import os
import re
from collections.abc import Sequence
from typing import NamedTuple

import anyio
from fastapi import Response
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .._util.errors import InputError, printable
from .._util.network import is_loopback
from ..corpus.stores.remote import CORPUS

_LONGEST = 4 << 20
"""Maximum bytes of a request."""

SECONDS = 20.0
"""Seconds within which a request must arrive."""

_SHORTEST_TOKEN = 16


class Access(NamedTuple):
    """Who may query a service, and what it serves."""

    hosts: tuple[str, ...] = ()
    """Host names of the service, in addition to this machine's."""

    credentials: tuple[bytes, ...] = ()
    """Accepted `Authorization` headers; empty if not needed."""

    with_samples: bool = False
    """Whether the folder's samples, facts and gold answers are also served."""

    def check(self, headers: Headers) -> None:
        """Raise if a request with these headers is refused.

        Raises:
            HTTPException: Its host is unknown, or it lacks the token.
        """
        name = _host_name(headers.get("host", ""))
        if not (is_loopback(name) or name in self.hosts):
            remedy = f"restart the service with --allow-host {name}"
            raise HTTPException(400, f"the host name {name!r} is not allowed; {remedy}")
        scheme, _, value = headers.get("authorization", "").partition(" ")
        header = f"{scheme.title()} {value.strip()}".encode("utf-8", "replace")
        matches = [hmac.compare_digest(header, credential) for credential in self.credentials]
        if matches and not any(matches):
            raise HTTPException(
                401, "this service needs a token; use corpus=http://${ARAG_TOKEN}@HOST:PORT"
            )


THIS_MACHINE = Access()
"""Access from this machine only, without a token."""


def _host_name(host: str) -> str:
    """Return the name or address in a `Host` header, without port and brackets."""
    host = host.strip().lower()
    can_have_port = host.count(":") == 1 or "[" in host  # else an IPv6 address without brackets
    if can_have_port:
        host = re.sub(r":\d*$", "", host)
    return host.strip("[]")


def make_access(
    host: str, hosts: Sequence[str] = (), token_env: str | None = None, with_samples: bool = False
) -> Access:
    """Return the access rules of a service.

    Args:
        host: Address that it listens on.
        hosts: Additional host names that clients use.
        token_env: Environment variable with the token that requests must carry, as `Bearer TOKEN`
            or as the user of an address.
        with_samples: Whether the folder's samples, facts and gold answers are also served.

    Raises:
        InputError: Other machines can reach the address, and the token is missing or too short.
    """
    names = (host.lower(), *map(_host_name, hosts))
    if token_env is None:
        if not is_loopback(host):
            raise InputError(
                f"other machines reach {host}; put a token into an environment variable and use "
                "--token-env ARAG_TOKEN, or listen on 127.0.0.1"
            )
        return Access(names, (), with_samples)
    token = os.environ.get(token_env, "")
    if len(token) < _SHORTEST_TOKEN or not (token.isascii() and token.isprintable()):
        raise InputError(
            f"the token in ${token_env} must have at least {_SHORTEST_TOKEN} characters, all ASCII "
            f"(it has {len(token)})"
        )
    user = base64.b64encode(f"{token}:".encode())
    return Access(names, (f"Bearer {token}".encode(), b"Basic " + user), with_samples)


class AccessCheck:
    """Refuses unauthorized, oversized or slow requests, and names the corpus in replies."""

    def __init__(self, app: ASGIApp, access: Access, digest: str) -> None:
        self._app = app
        self._access = access
        self._digest = digest

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
            body = await _read_body(receive)
        except HTTPException as error:
            refusal = error_reply(str(error.detail), error.status_code, connection="close")
            await refusal(scope, receive, send)
            return
        pending_messages: list[Message] = [{"type": "http.request", "body": body}]

        async def receive_whole() -> Message:
            return pending_messages.pop() if pending_messages else await receive()

        await self._app(scope, receive_whole, send_named)


async def _read_body(receive: Receive) -> bytes:
    """Return the body of a request.

    Raises:
        HTTPException: It is too long or too slow, or breaks off.
    """
    content = bytearray()
    with anyio.move_on_after(SECONDS):
        message = await receive()
        while message["type"] == "http.request":
            content += message.get("body", b"")
            if len(content) > _LONGEST:
                raise HTTPException(413, f"a request has at most {_LONGEST:,} bytes")
            if not message.get("more_body"):
                return bytes(content)
            message = await receive()
        raise HTTPException(400, "the request was cut off")
    raise HTTPException(408, f"the request did not arrive within {SECONDS:.0f} s")


def error_reply(message: str, status: int = 400, **headers: str) -> Response:
    """Return an error as one JSON line."""
    return JSONResponse({"error": printable(message)}, status, headers)
