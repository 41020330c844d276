"""Downloads that are cached, resumed and checked, and archives that are read without unpacking."""

import os
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pooch
import requests
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from ..errors import InputError

_CHUNK = 1 << 16
_TIMEOUT_S = 30
_LARGEST_FILE = 256 << 20
"""Bytes; a larger member of an archive is refused."""


class NotThereError(InputError):
    """Nothing is to be had at an address (HTTP 404)."""


def cache_folder() -> Path:
    """Where downloads and generated criteria are kept: `$ARAG_CACHE`, else the user's cache folder."""
    return Path(os.environ.get("ARAG_CACHE") or pooch.os_cache("arag-inspect")).expanduser()


def fetch(
    url: str, name: str, sha256: str | None = None, headers: Mapping[str, str] | None = None
) -> Path:
    """Download a file into the cache, or take it from there.

    A broken download is taken up where it broke off. Where no digest is known
    beforehand, that of the first download is kept beside the file and holds
    for every later use.

    Args:
        url: What to download.
        name: Name in the cache.
        sha256: Digest that the file must have.
        headers: To send along, e.g. an authorisation; not passed on to another host.

    Returns:
        Path of the file in the cache.

    Raises:
        NotThereError: There is no such file.
        InputError: The download fails, or the file has another digest.
    """
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path, remembered = folder / name, folder / f"{name}.sha256"
    if sha256 is None and path.is_file() and remembered.is_file():
        sha256 = remembered.read_text(encoding="ascii").strip()
    pooch.get_logger().setLevel("WARNING")
    try:
        pooch.retrieve(
            url,
            known_hash=sha256,
            fname=name,
            path=folder,
            downloader=_Resuming(path, headers or {}),
        )
    except requests.HTTPError as error:
        absent = error.response is not None and error.response.status_code == 404
        kind = NotThereError if absent else InputError
        raise kind(_refused(url, error.response)) from error
    except (requests.RequestException, OSError) as error:
        raise InputError(
            f"download of {url} failed ({error}); run the command again to resume it"
        ) from error
    except ValueError as error:  # what pooch raises for a wrong digest
        raise InputError(
            f"{url} does not have the expected SHA-256; nothing was kept ({error})"
        ) from error
    if sha256 is None:
        remembered.write_text(pooch.file_hash(str(path)), encoding="ascii")
    return path


def _refused(url: str, response: requests.Response | None) -> str:
    """What to tell of an answer that is an error."""
    status = response.status_code if response is not None else 0
    if status in (requests.codes.unauthorized, requests.codes.forbidden):
        do = "it asks for a login or for its terms to be accepted: do that on its site and set HF_TOKEN, or give a local copy with --source"
    elif status == requests.codes.not_found:
        do = "there is no such file; give a local copy with --source"
    else:
        do = "run the command again to resume it"
    return f"download of {url} failed with status {status}; {do}"


class _Resuming:
    """A downloader for pooch that keeps what has arrived beside the file and asks only for the rest."""

    def __init__(self, path: Path, headers: Mapping[str, str]) -> None:
        self._headers = headers
        self._partial = path.with_name(f"{path.name}.part")

    def __call__(self, url: str, output_file: str, _: Any) -> None:
        have = self._partial.stat().st_size if self._partial.exists() else 0
        # compressed on the way, a file would have another length than was announced
        headers = {**self._headers, "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT_S) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                self._partial.unlink()  # nothing is left to ask for: start afresh
                return self(url, output_file, _)
            response.raise_for_status()
            resumed = response.status_code == requests.codes.partial_content
            pieces = response.iter_content(_CHUNK)
            with self._partial.open("ab" if resumed else "wb") as file, _bytes_bar() as shown:
                task = shown.add_task(self._partial.stem, total=None, completed=file.tell())
                if "Content-Length" in response.headers:
                    length = int(response.headers["Content-Length"])
                    shown.update(task, total=file.tell() + length)
                for piece in pieces:
                    file.write(piece)
                    shown.advance(task, len(piece))
            self._check_length(response, have if resumed else 0)
        self._partial.replace(output_file)

    def _check_length(self, response: requests.Response, had: int) -> None:
        announced = response.headers.get("Content-Length")
        if announced is not None and self._partial.stat().st_size != had + int(announced):
            raise requests.ConnectionError("the connection broke off")


def _bytes_bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    return Progress(*columns, console=Console(stderr=True))


def read_folder(root: Path, wanted: re.Pattern[str]) -> dict[str, bytes]:
    """Read the files of a folder whose path inside it matches, by that path."""
    found = {
        path.relative_to(root).as_posix(): path
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
    return {name: path.read_bytes() for name, path in found.items() if wanted.fullmatch(name)}


def read_archive(path: Path, wanted: re.Pattern[str]) -> dict[str, bytes]:
    """Read the files of a tar archive whose path below its top folder matches, by that path.

    Nothing is unpacked, so no path can lead out of a folder.

    Raises:
        InputError: The archive is damaged, or a file in it is unreasonably large.
    """
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = member.name.partition("/")[2]
                if not member.isfile() or not wanted.fullmatch(name):
                    continue
                if member.size > _LARGEST_FILE:
                    raise InputError(f"{path}: {member.name} has {member.size:,} bytes, too many")
                content = archive.extractfile(member)
                found[name] = content.read() if content else b""
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"archive {path} is damaged ({error}); delete it and try again") from error
    return found
