"""Addresses of prepared folders: in an object store or behind a search service."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import fsspec
import httpx

from .._util.addresses import VARIABLE
from .._util.errors import InputError, one_line
from .._util.network import check_encoding, client_options, failure
from .._util.secrets import check_address, expand

_LONGEST = 256 << 20
"""Largest reply, in bytes."""


def is_address(corpus: str | Path) -> bool:
    """Return whether a corpus is given as an address, not as a name or a path."""
    return "://" in str(corpus)


@contextmanager
def object_store(address: str) -> Iterator[tuple[Any, str]]:
    """Open an address as an fsspec file system and path; report errors in one line.

    Raises:
        InputError: The address is unknown, unreachable, forbidden, or contains no corpus.
    """
    check_corpus_address(address)
    with report_errors(address):
        files, root = fsspec.core.url_to_fs(address)
        files.invalidate_cache()
        yield files, root


@contextmanager
def report_errors(address: str) -> Iterator[None]:
    """Report the errors of a file system or service in one line."""
    try:
        yield
    except (InputError, KeyboardInterrupt):
        raise
    except FileNotFoundError as error:
        raise InputError(
            f"no prepared corpus at {address} ({one_line(error)} is missing)"
        ) from None
    except PermissionError:
        raise InputError(
            f"{address} may not be read or written with these credentials; check the "
            "bucket's policy"
        ) from None
    except (ImportError, ValueError) as error:
        raise InputError(f"{address} cannot be opened ({one_line(error)})") from error
    except Exception as error:
        is_http = isinstance(error, httpx.TransportError)
        reason = failure(error, address) if is_http else one_line(error)
        raise InputError(f"{address} failed ({reason}); try again") from error


def is_service(address: str) -> bool:
    """Return whether an address belongs to a search service."""
    return address.startswith(("http://", "https://"))


def check_corpus_address(address: str) -> None:
    """Raise unless an address may be recorded in logs.

    Raises:
        InputError: It contains a credential, or a variable that is not allowed there.
    """
    check_address(address, "the address of a corpus")
    for name in VARIABLE.findall(address):
        if not (is_service(address) and name.startswith("ARAG_")):
            raise InputError(
                f"the address of a corpus names ${{{name}}}; only variables that begin with ARAG_ "
                "are allowed, and only for a search service"
            )


def service_client(address: str) -> httpx.Client:
    """Return a client of the service at an address, which may contain `${ARAG_...}@`."""
    url = expand(address, in_address=True)
    return httpx.Client(base_url=url, timeout=120, **client_options(url))


class Reply(NamedTuple):
    """A reply of a service."""

    status: int
    headers: httpx.Headers
    content: bytes


def exchange(client: httpx.Client, method: str, path: str, body: bytes | None = None) -> Reply:
    """Send a request, and return the reply.

    Raises:
        httpx.TransportError: The reply is missing or incomplete.
        InputError: The reply is too long.
    """
    headers = {"content-type": "application/json"} if body is not None else {}
    with client.stream(method, path, content=body, headers=headers) as response:
        check_encoding(response)
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            if len(content) > _LONGEST:
                raise InputError(f"the search service sent more than {_LONGEST:,} bytes")
    return Reply(response.status_code, response.headers, bytes(content))
