"""Downloads that are cached, resumed and checked, and archives that are read without unpacking."""

import re
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pooch
import requests
from filelock import FileLock
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from ..._util.cache import cache_folder
from ..._util.errors import InputError

_CHUNK = 1 << 16
_TIMEOUT_S = 30
_LARGEST_FILE = 256 << 20
"""Bytes; a larger member of an archive is refused."""


class NotFoundError(InputError):
    """Nothing is to be had at an address (HTTP 404)."""


def fetch(
    url: str,
    name: str,
    sha256: str | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    begins: tuple[bytes, ...] = (),
) -> Path:
    """Download a file into the cache, or take it from there.

    A broken download is taken up where it broke off, if the server still has
    the same file. Where no digest is known beforehand, that of the first
    download is kept beside the file and holds for every later use; so a download
    of which nobody can tell whether it is whole is refused.

    Args:
        url: What to download.
        name: Name in the cache.
        sha256: Digest that the file must have.
        headers: To send along, e.g. an authorisation; not passed on to another host.
        begins: What the file begins with, one of these; anything else (a page that says why there is no file) is not kept.

    Returns:
        Path of the file in the cache.

    Raises:
        NotThereError: There is no such file.
        InputError: The download fails, is empty or perhaps not whole, cannot be kept, or has another digest.
    """
    folder = cache_folder()
    path, remembered = folder / name, folder / f"{name}.sha256"
    pooch.get_logger().setLevel("WARNING")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; remove it")
        with FileLock(folder / ".lock"):  # one process downloads, the others wait for it
            if sha256 is None and path.is_file() and remembered.is_file():
                sha256 = _pinned(remembered)
            pooch.retrieve(
                url,
                known_hash=sha256,
                fname=name,
                path=folder,
                downloader=_Resuming(path, headers or {}, checked=sha256 is not None),
            )
            if sha256 is None:
                _check_beginning(path, url, begins)
                remembered.write_text(pooch.file_hash(str(path)), encoding="ascii")
    except requests.HTTPError as error:
        absent = error.response is not None and error.response.status_code == 404
        kind = NotFoundError if absent else InputError
        raise kind(_refused(url, error.response)) from error
    except requests.RequestException as error:
        raise InputError(
            f"download of {url} failed ({_reason(error)}); run the command again to resume it, "
            "or give a local copy with --source"
        ) from error
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"download of {url} cannot be kept ({error})") from error
    except ValueError as error:  # what pooch raises for a wrong digest
        raise InputError(
            f"{url} does not have the expected SHA-256; nothing was kept ({error})"
        ) from error
    return path


def _check_beginning(path: Path, url: str, begins: tuple[bytes, ...]) -> None:
    with path.open("rb") as file:
        head = file.read(1024).lstrip(b"\xef\xbb\xbf \r\n\t")
    if begins and not head.startswith(begins):
        path.unlink()
        raise InputError(
            f"{url} gave something else than the file, beginning with {head[:20]!r}; nothing was "
            "kept; try again later, or give a local copy with --source"
        )


def evict(path: Path) -> None:
    """Drop a download that is not what it should be, so that the next call asks for it again."""
    if path.parent == cache_folder():
        path.unlink(missing_ok=True)
        path.with_name(f"{path.name}.sha256").unlink(missing_ok=True)


def _pinned(remembered: Path) -> str:
    digest = remembered.read_text(encoding="ascii", errors="replace").strip()
    if not re.fullmatch("[0-9a-f]{64}", digest):
        raise InputError(f"{remembered} holds no SHA-256; delete it to trust the file beside it")
    return digest


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


class _UnusableError(requests.RequestException):
    """An answer that cannot be kept."""


def _reason(error: requests.RequestException) -> str:
    """Why a download failed, in words."""
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke off"
    if isinstance(error, requests.exceptions.SSLError):
        return "no secure connection"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return " ".join(str(error).split())


class _Resuming:
    """A downloader for pooch that keeps what has arrived beside the file and asks only for the rest.

    The rest is joined to it only where the server says that it begins at that
    byte, ends with the file, and is of the file as it was: by its ETag, which
    is kept along. Otherwise the download starts afresh.
    """

    def __init__(self, path: Path, headers: Mapping[str, str], *, checked: bool) -> None:
        self._headers, self._checked = headers, checked
        self._partial = path.with_name(f"{path.name}.part")
        self._state = path.with_name(f"{path.name}.part.etag")

    def __call__(self, url: str, output_file: str, _: Any) -> None:
        # compressed on the way, a file would have another length than was announced
        headers = {**self._headers, "Accept-Encoding": "identity"}
        have, tag = self._arrived()
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": tag}
        with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT_S) as response:
            partial = response.status_code == requests.codes.partial_content
            length = _reaching(response, have) if partial else _announced(response)
            unfit = response.status_code == requests.codes.requested_range_not_satisfiable
            if have and (unfit or (partial and length is None)):
                self._partial.unlink()
                return self(url, output_file, _)
            response.raise_for_status()
            if partial and length is None:
                raise _UnusableError("the server gives only a part of the file")
            if length is None and not self._checked and not _ends_marked(response):
                raise _UnusableError("the server does not say where the file ends")
            self._receive(response, length, have if partial else 0)
        self._state.unlink(missing_ok=True)
        self._partial.replace(output_file)

    def _arrived(self) -> tuple[int, str]:
        """Bytes that can be added to, and the ETag of the file that they are of."""
        if not (self._partial.is_file() and self._state.is_file()):
            return 0, ""
        tag = self._state.read_text(encoding="ascii", errors="replace")
        return (self._partial.stat().st_size, tag) if _STRONG_TAG.fullmatch(tag) else (0, "")

    def _receive(self, response: requests.Response, length: int | None, have: int) -> None:
        with self._partial.open("ab" if have else "wb") as file, _bytes_bar() as shown:
            if not have:
                self._keep_state(response)
            task = shown.add_task(self._partial.stem, total=length, completed=file.tell())
            for piece in response.iter_content(_CHUNK):
                file.write(piece)
                shown.advance(task, len(piece))
            size = file.tell()
        if not size:
            raise _UnusableError("the file is empty")
        if length is not None and size != length:
            raise requests.exceptions.ChunkedEncodingError

    def _keep_state(self, response: requests.Response) -> None:
        tag = response.headers.get("ETag", "")
        if _STRONG_TAG.fullmatch(tag):
            self._state.write_text(tag, encoding="ascii")
        else:
            self._state.unlink(missing_ok=True)


_STRONG_TAG = re.compile(r'"[!#-~]+"')
"""An ETag that stands for every byte of a file; one that begins with `W/` does not."""


def _announced(response: requests.Response) -> int | None:
    """Bytes that a whole file has."""
    length = response.headers.get("Content-Length", "")
    return int(length) if re.fullmatch("[0-9]{1,18}", length) else None


def _reaching(response: requests.Response, start: int) -> int | None:
    """Bytes that the whole file has, where this is all of it from `start` on; None where it is another part."""
    said = response.headers.get("Content-Range", "")
    found = re.fullmatch("bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})", said)
    first, last, total = map(int, found.groups()) if found else (-1, -1, -1)
    return total if (first, last + 1) == (start, total) else None


def _ends_marked(response: requests.Response) -> bool:
    """Whether the end of the body is marked in it, so that a broken one is told by the library."""
    return response.headers.get("Transfer-Encoding", "").lower() == "chunked"


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
