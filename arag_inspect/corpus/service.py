"""Requests to a search service; see `arag-inspect corpus serve`."""

from typing import NamedTuple

import httpx

from .._util.addresses import VARIABLE
from .._util.errors import InputError
from .._util.network import client_options
from .._util.secrets import check_address, expand

_LONGEST = 256 << 20
"""Most bytes of a reply."""


def is_service(address: str) -> bool:
    """Return whether an address is that of a search service."""
    return address.startswith(("http://", "https://"))


def check_corpus_address(address: str) -> None:
    """Raise unless an address may be recorded in logs.

    Raises:
        InputError: It holds a credential, or names a variable that may not stand there.
    """
    check_address(address, "the address of a corpus")
    for name in VARIABLE.findall(address):
        if not (is_service(address) and name.startswith("ARAG_")):
            raise InputError(
                f"the address of a corpus names ${{{name}}}; only variables that begin with ARAG_ "
                "may stand there, in the address of a search service"
            )


def service_client(address: str) -> httpx.Client:
    """Return a client of the service at an address, which may hold `${ARAG_...}@`."""
    url = expand(address, in_address=True)
    return httpx.Client(base_url=url, timeout=120, **client_options(url))


class Reply(NamedTuple):
    """What a service answered."""

    status: int
    headers: httpx.Headers
    content: bytes


def exchange(client: httpx.Client, method: str, path: str, body: bytes | None = None) -> Reply:
    """Send a request, and return the reply.

    Raises:
        httpx.TransportError: There is no whole reply.
        InputError: The reply is too long.
    """
    headers = {"content-type": "application/json"} if body is not None else {}
    with client.stream(method, path, content=body, headers=headers) as response:
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            if len(content) > _LONGEST:
                raise InputError(f"the search service gave more than {_LONGEST:,} bytes")
    return Reply(response.status_code, response.headers, bytes(content))
