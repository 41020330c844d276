"""Local copies of the small files of prepared folders at an address."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import httpx

from .._util.errors import InputError
from .._util.files import cache_folder
from .address import (
    check_corpus_address,
    exchange,
    is_service,
    object_store,
    report_errors,
    service_client,
)
from .prepared.manifest import MANIFEST, STORED, read_manifest

ADDRESS = "address.txt"
"""File of a mirror that contains the address of its source."""

_MIRRORING = threading.Lock()


def mirror(address: str) -> Path:
    """Return a local folder with the small files of a prepared folder at an address.

    The folder includes the manifest and is made once per process, so later changes at the address
    are not seen. Lance datasets and the data of a search service stay in place; files of the local
    store are fetched.

    Raises:
        InputError: The prepared folder is missing or unreadable.
    """
    with _MIRRORING:
        check_corpus_address(address)
        return _mirror(address.rstrip("/"))


def forget_mirrors() -> None:
    """Drop the cached mirrors, because this process has changed an address."""
    _mirror.cache_clear()


@lru_cache(maxsize=64)
def _mirror(address: str) -> Path:
    with _reader(address) as read_file:
        text = read_file(MANIFEST)
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
                    content = read_file(data_prefix + name)
                except FileNotFoundError:  # the file lies in the folder, not beside its data
                    content = read_file(name)
                (stage / name).write_bytes(content)
            # the address that was opened, not the one in the fetched file
            (stage / ADDRESS).write_text(address, encoding="utf-8")
            if not folder.exists():
                stage.rename(folder)
    return folder


@contextmanager
def _reader(address: str) -> Iterator[Callable[[str], bytes]]:
    """Yield a function that reads a file at an address by its path there."""
    if is_service(address):
        with report_errors(address), service_client(address) as client:
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


def _mirrors() -> Path:
    return (cache_folder() / "corpora").absolute()


def data_root(path: Path) -> str:
    """Return the path of a prepared folder's Lance data; for a mirror, their address."""
    # any other folder could contain an address that its user does not know
    is_mirror = path.absolute().parent == _mirrors()
    return (path / ADDRESS).read_text("utf-8") if is_mirror else str(path)
