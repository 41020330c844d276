"""Cached, verified downloads, and archives read without unpacking."""

import re
import tarfile
from pathlib import Path

import pooch
import requests
from filelock import FileLock

from ..._util.cache import cache_folder
from ..._util.errors import InputError

_TIMEOUT_S = 30
_MOST_BYTES = 256 << 20
"""Largest total size of the files read from an archive; larger archives are rejected."""


class NotFoundError(InputError):
    """The address has no file (HTTP 404)."""


def fetch(
    url: str, name: str, sha256: str | None = None, *, begins: tuple[bytes, ...] = ()
) -> Path:
    """Download a file, or return the cached copy.

    Without a known digest, the digest of the first download is stored beside the file
    and checked at every later use.

    Args:
        url: Address of the file.
        name: Name in the cache.
        sha256: Digest that the file must have.
        begins: Possible beginnings of the file; anything else (an error page) is not kept.

    Returns:
        Path of the file in the cache.

    Raises:
        NotFoundError: There is no such file.
        InputError: The download fails, cannot be kept, or has another digest or beginning.
    """
    folder = cache_folder()
    path, remembered = folder / name, folder / f"{name}.sha256"
    pooch.get_logger().setLevel("WARNING")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):  # one process downloads, the others wait for it
            if sha256 is None and path.is_file() and remembered.is_file():
                sha256 = _read_digest(remembered)
            pooch.retrieve(
                url,
                known_hash=sha256,
                fname=name,
                path=folder,
                downloader=pooch.HTTPDownloader(progressbar=True, timeout=_TIMEOUT_S),
            )
            if sha256 is None:
                _check_beginning(path, url, begins)
                remembered.write_text(pooch.file_hash(str(path)), encoding="ascii")
    except requests.HTTPError as error:
        raise _refusal(url, error) from error
    except requests.RequestException as error:
        raise InputError(
            f"download of {url} failed ({type(error).__name__}); run the command again, "
            "or give a local copy with --source"
        ) from error
    except OSError as error:
        raise InputError(f"download of {url} cannot be kept ({error})") from error
    except ValueError as error:  # raised by pooch for another digest
        raise InputError(
            f"{url} does not have the expected SHA-256; nothing was kept ({error})"
        ) from error
    return path


def evict(path: Path) -> None:
    """Delete an invalid download, so that the next call fetches it again."""
    if path.parent == cache_folder():
        path.unlink(missing_ok=True)
        path.with_name(f"{path.name}.sha256").unlink(missing_ok=True)


def _read_digest(remembered: Path) -> str:
    digest = remembered.read_text(encoding="ascii", errors="replace").strip()
    if not re.fullmatch("[0-9a-f]{64}", digest):
        raise InputError(f"{remembered} holds no SHA-256; delete it to trust the file beside it")
    return digest


def _check_beginning(path: Path, url: str, begins: tuple[bytes, ...]) -> None:
    with path.open("rb") as file:
        head = file.read(1024).lstrip(b"\xef\xbb\xbf \r\n\t")
    if begins and not head.startswith(begins):
        path.unlink()
        raise InputError(
            f"{url} returned another kind of file, beginning with {head[:20]!r}; nothing was "
            "kept; try again later, or give a local copy with --source"
        )


def _refusal(url: str, error: requests.HTTPError) -> InputError:
    status = error.response.status_code if error.response is not None else 0
    if status == requests.codes.not_found:
        return NotFoundError(
            f"download of {url} failed with status 404; give a local copy with --source"
        )
    return InputError(
        f"download of {url} failed with status {status}; run the command again later, "
        "or give a local copy with --source"
    )


def read_folder(root: Path, wanted: re.Pattern[str]) -> dict[str, bytes]:
    """Read the files of a folder whose path inside it matches, by that path."""
    paths = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*"))}
    return {
        name: path.read_bytes()
        for name, path in paths.items()
        if path.is_file() and wanted.fullmatch(name)
    }


def read_archive(path: Path, wanted: re.Pattern[str]) -> dict[str, bytes]:
    """Read the files of a tar archive whose path below its top folder matches.

    Nothing is unpacked, so no path can lead out of a folder.

    Raises:
        InputError: The archive is damaged, or its files are unreasonably large.
    """
    contents: dict[str, bytes] = {}
    total = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = member.name.partition("/")[2]
                if not member.isfile() or not wanted.fullmatch(name):
                    continue
                total += member.size
                if total > _MOST_BYTES:
                    raise InputError(
                        f"{path}: its texts have more than {_MOST_BYTES / 1e6:,.0f} MB together, "
                        "too much for this data set; delete it and try again"
                    )
                content = archive.extractfile(member)
                contents[name] = content.read() if content else b""
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"archive {path} is damaged ({error}); delete it and try again") from error
    return contents
