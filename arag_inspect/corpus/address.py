"""Prepared folders at an address: in an object store or behind a search service."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote

import fsspec
import httpx

from .._util.addresses import VARIABLE
from .._util.errors import InputError, one_line
from .._util.files import cache_folder
from .._util.network import check_encoding, client_options, failure
from .._util.secrets import check_address, expand
from .prepared.manifest import MANIFEST, STORED, read_manifest

ADDRESS = "address.txt"
"""File of a mirror that names its source."""

_MIRRORING = threading.Lock()


def is_address(corpus: str | Path) -> bool:
    """Return whether a corpus is named by an address, not a name or a path."""
    return "://" in str(corpus)


def mirror(address: str) -> Path:
    """Return a local folder with the small files of a prepared folder at an address.

    It contains the manifest too. It is made once per process, so later changes at the address are not
    seen. Lance datasets and the data of a search service stay in place; files of the local store
    are fetched.

    Raises:
        InputError: There is no readable prepared folder.
    """
    with _MIRRORING:
        check_corpus_address(address)
        return _mirror(address.rstrip("/"))


def forget_mirrors() -> None:
    """Drop the cached mirrors, because this process has changed an address."""
    _mirror.cache_clear()


@lru_cache(maxsize=64)
def _mirror(address: str) -> Path:
    with _reader(address) as read:
        text = read(MANIFEST)
        folder = _mirrors() / sha256(address.encode() + b"\0" + text).hexdigest()
        if (folder / MANIFEST).is_file():
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".mirror.", dir=folder.parent) as work:
            stage = Path(work) / folder.name
            stage.mkdir()
            (stage / MANIFEST).write_bytes(text)
            manifest = read_manifest(stage)
            data_prefix = f"{manifest.lance.folder}/" if manifest.lance else ""
            for name in manifest.files:
                if is_service(address) and name in STORED:
                    continue
                if Path(name).name != name:
                    raise InputError(
                        f"{address}/{MANIFEST} names {name!r}, which is not a file name"
                    )
                try:
                    content = read(data_prefix + name)
                except FileNotFoundError:  # the file lies in the folder, not beside its data
                    content = read(name)
                (stage / name).write_bytes(content)
            # the address that was opened, whatever the fetched file says
            (stage / ADDRESS).write_text(address, encoding="utf-8")
            if not folder.exists():
                stage.rename(folder)
    return folder


@contextmanager
def _reader(address: str) -> Iterator[Callable[[str], bytes]]:
    """Yield a function that reads a file at an address by its path there."""
    if is_service(address):
        with _report_errors(address), service_client(address) as client:
            yield partial(_fetch, client)
    else:
        with object_store(address) as (files, root):
            yield lambda name: bytes(files.cat_file(f"{root}/{name}"))


def _fetch(client: httpx.Client, name: str) -> bytes:
    reply = exchange(client, "GET", quote(name))
    if reply.status == httpx.codes.NOT_FOUND:
        raise FileNotFoundError(name)
    if reply.status in (401, 403):
        raise InputError(
            f"the search service refused access with status {reply.status}; with its token in "
            "$ARAG_TOKEN, give -T 'corpus=http://${ARAG_TOKEN}@HOST:PORT'"
        )
    if reply.status != httpx.codes.OK:
        raise OSError(f"status {reply.status}")
    return reply.content


@contextmanager
def object_store(address: str) -> Iterator[tuple[Any, str]]:
    """Open an address as an fsspec file system and path; report errors in one line.

    Raises:
        InputError: The address is unknown, unreachable, forbidden, or contains no corpus.
    """
    check_corpus_address(address)
    with _report_errors(address):
        files, root = fsspec.core.url_to_fs(address)
        files.invalidate_cache()
        yield files, root


@contextmanager
def _report_errors(address: str) -> Iterator[None]:
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
            f"{address} may not be read or written with these credentials; check the bucket's policy"
        ) from None
    except (ImportError, ValueError) as error:
        raise InputError(f"{address} cannot be opened ({one_line(error)})") from error
    except Exception as error:
        is_http = isinstance(error, httpx.TransportError)
        reason = failure(error, address) if is_http else one_line(error)
        raise InputError(f"{address} failed ({reason}); try again") from error


def _mirrors() -> Path:
    return (cache_folder() / "corpora").absolute()


def data_root(path: Path) -> str:
    """Return the path or, of a mirror, the address of a prepared folder's Lance data."""
    # any other folder could name an address that its user does not know
    is_mirror = path.absolute().parent == _mirrors()
    return (path / ADDRESS).read_text("utf-8") if is_mirror else str(path)


_LONGEST = 256 << 20
"""Largest reply, in bytes."""


def is_service(address: str) -> bool:
    """Return whether an address is that of a search service."""
    return address.startswith(("http://", "https://"))


def check_corpus_address(address: str) -> None:
    """Raise unless an address may be recorded in logs.

    Raises:
        InputError: It contains a credential, or names a variable that is not allowed there.
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
