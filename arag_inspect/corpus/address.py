"""Prepared folders at an address: in an object store or behind a search service."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fsspec

from .._util.cache import cache_folder
from .._util.errors import InputError, one_line
from .manifest import MANIFEST, STORED, read_manifest

ADDRESS = "address.txt"
"""File of a mirror that names its source."""

_MIRRORING = threading.Lock()


def is_address(corpus: str | Path) -> bool:
    """Return whether a corpus is named by an address, not a name or a path."""
    return "://" in str(corpus)


def is_service(address: str) -> bool:
    """Return whether an address is that of a search service."""
    return address.startswith(("http://", "https://"))


def mirror(address: str) -> Path:
    """Return a local folder with the small files of a prepared folder at an address.

    It holds the manifest too. Made once per process, so later changes at the address are not
    seen. Lance datasets and the data of a search service stay in place; files of the local store
    are fetched.

    Raises:
        InputError: There is no readable prepared folder.
    """
    with _MIRRORING:
        return _mirror(address.rstrip("/"))


def forget_mirrors() -> None:
    """Drop the cached mirrors, because this process has changed an address."""
    _mirror.cache_clear()


@lru_cache(maxsize=64)
def _mirror(address: str) -> Path:
    with object_store(address) as (files, root):
        text = files.cat_file(f"{root}/{MANIFEST}")
        folder = cache_folder() / "corpora" / sha256(address.encode() + b"\0" + text).hexdigest()
        if (folder / MANIFEST).is_file():
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".mirror.", dir=folder.parent) as work:
            stage = Path(work) / folder.name
            stage.mkdir()
            (stage / MANIFEST).write_bytes(text)
            (stage / ADDRESS).write_text(address, encoding="utf-8")
            manifest = read_manifest(stage)
            for name in manifest.files:
                if is_service(address) and name in STORED:
                    continue
                if Path(name).name != name:
                    raise InputError(
                        f"{address}/{MANIFEST} names {name!r}, which is not a file name"
                    )
                (stage / name).write_bytes(_small_file(files, root, name, manifest.data_folders()))
            if not folder.exists():
                stage.rename(folder)
    return folder


def _small_file(files: Any, root: str, name: str, folders: list[str]) -> bytes:
    """Return the contents of a file, beside its data or in the folder."""
    for folder in folders[:1]:
        try:
            return bytes(files.cat_file(f"{root}/{folder}/{name}"))
        except FileNotFoundError:
            continue
    return bytes(files.cat_file(f"{root}/{name}"))


@contextmanager
def object_store(address: str) -> Iterator[tuple[Any, str]]:
    """Open an address as an fsspec file system and path; report errors in one line.

    Raises:
        InputError: The address is unknown, unreachable, forbidden, or holds no corpus.
    """
    try:
        files, root = fsspec.core.url_to_fs(address)
        files.invalidate_cache()
        yield files, root
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
        raise InputError(f"{address} failed ({one_line(error)}); try again") from error


def storage_options() -> dict[str, str]:
    """Return options of Lance's object store from the environment.

    `$AWS_ENDPOINT_URL` names another S3 than Amazon's, as for boto; Lance needs an option for plain
    HTTP.
    """
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if not endpoint:
        return {}
    plain = {"allow_http": "true"} if endpoint.startswith("http://") else {}
    return {"aws_endpoint": endpoint, **plain}


def data_root(path: Path) -> str:
    """Return the path or mirrored address of a prepared folder's Lance data."""
    try:
        return (path / ADDRESS).read_text("utf-8")
    except FileNotFoundError:
        return str(path)
