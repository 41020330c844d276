"""Downloads: cached, verified files of addresses or of the Hugging Face hub, and archives."""

import re
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

import httpx
from filelock import FileLock
from huggingface_hub import hf_hub_download
from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, HfHubHTTPError
from huggingface_hub.utils import tqdm

from arag_inspect._util.errors import InputError, one_line
from arag_inspect._util.files import cache_folder, digest, file_digest
from arag_inspect._util.network import check_encoding, client_options, failure
from arag_inspect.corpus import Source

_TIMEOUT_S = 30
_MOST_REDIRECTS = 10
_MOST_BYTES = 256 << 20
"""Largest total size of the files read from an archive; larger archives are rejected."""

_MOST_DOWNLOADED = 1 << 30
"""Largest download, in bytes."""

_REMEDY = "run the command again, or give a local copy with --source"


class NotFoundError(InputError):
    """The address has no file (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A pinned revision of a data set."""

    repository: str
    commit: str

    def source(self, inputs: dict[str, str], *, is_pinned: bool) -> Source:
        """Return the origin of files for the manifest, with the revision only if they belong to it.

        Args:
            inputs: SHA-256 of each file.
            is_pinned: Whether the files were downloaded, or have the digests of the revision.
        """
        if is_pinned:
            return Source(url=self.repository, commit=self.commit, inputs=inputs)
        return Source(inputs=inputs)


def fetch(
    url: str, name: str, sha256: str | None = None, *, begins: tuple[bytes, ...] = ()
) -> Path:
    """Download a file, or return its cached copy, keyed by address.

    Without a known digest, the digest of the first download from this address is stored beside
    the file and checked at every later use.

    Args:
        url: Address of the file.
        name: Name of the file.
        sha256: Digest that the file must have.
        begins: Possible beginnings of the file; other files (error pages) are not kept.

    Returns:
        Path of the file in the cache.

    Raises:
        NotFoundError: There is no such file.
        InputError: The download fails, cannot be kept, or has another digest or beginning.
    """
    folder = _folder(url, sha256)
    path = folder / name
    remembered = folder / f"{name}.sha256"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):  # one process downloads, the others wait
            text = remembered.read_text("ascii", "replace") if remembered.is_file() else ""
            stored = text if re.fullmatch("[0-9a-f]{64}", text) else None  # it may be half-written
            expected = sha256 or stored
            if expected and path.is_file() and file_digest(path) == expected:
                return path
            part = folder / f"{name}.part"
            try:
                _download(url, part)
                actual = file_digest(part)
                _check(part, url, begins, actual, expected)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
            if not expected:
                part.write_text(actual, encoding="ascii")
                part.replace(remembered)
    except OSError as error:
        raise InputError(f"download of {url} cannot be kept ({error})") from error
    return path


def evict(path: Path) -> None:
    """Delete an invalid download, so that the next call fetches it again."""
    if path.parent.parent == cache_folder() / "downloads":
        shutil.rmtree(path.parent, ignore_errors=True)


def is_cached(url: str, name: str) -> bool:
    """Return whether a file without a known digest was downloaded from an address."""
    return (_folder(url, None) / f"{name}.sha256").is_file()


def _folder(url: str, sha256: str | None) -> Path:
    return cache_folder() / "downloads" / digest(url, sha256 or "")


def _download(url: str, path: Path) -> None:
    """Write a download to a file."""
    address = url
    for _ in range(_MOST_REDIRECTS):
        try:
            with (
                httpx.Client(timeout=_TIMEOUT_S, **client_options(address)) as client,
                client.stream("GET", address) as response,
            ):
                if response.next_request is not None:
                    address = str(response.next_request.url)
                    continue
                if response.status_code != httpx.codes.OK:
                    kind = NotFoundError if response.status_code == 404 else InputError
                    raise kind(
                        f"download of {url} failed with status {response.status_code}; {_REMEDY}"
                    )
                check_encoding(response)
                _save(response, url, path)
                return
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise InputError(
                f"download of {url} failed ({failure(error, address)}); {_REMEDY}"
            ) from error
    raise InputError(f"download of {url} failed (too many redirects); {_REMEDY}")


def _save(response: httpx.Response, url: str, path: Path) -> None:
    size = int(response.headers.get("content-length") or 0)
    progress = tqdm(total=size or None, unit="B", unit_scale=True, desc=path.stem, disable=None)
    with path.open("wb") as file, progress:
        for block in response.iter_bytes():
            progress.update(file.write(block))
            if file.tell() > _MOST_DOWNLOADED:
                size_limit = f"{_MOST_DOWNLOADED >> 20:,} MiB"
                raise InputError(f"download of {url} has more than {size_limit}; {_REMEDY}")


def _check(
    path: Path, url: str, begins: tuple[bytes, ...], actual: str, expected: str | None
) -> None:
    """Raise if a file has another beginning or digest."""
    with path.open("rb") as file:
        head = file.read(1024).lstrip(b"\xef\xbb\xbf \r\n\t")
    if begins and not head.startswith(begins):
        raise InputError(
            f"{url} returned an unexpected kind of file, beginning with {head[:20]!r}; nothing "
            "was kept; try again later, or give a local copy with --source"
        )
    if expected and actual != expected:
        raise InputError(
            f"{url} does not have the expected SHA-256 ({expected[:12]}..., got {actual[:12]}...); "
            "nothing was kept"
        )


def local_file(source: Path, name: str, repository: str) -> Path:
    """Find a file of a repository in a local copy.

    Args:
        source: Root of the copy.
        name: Path in the repository.
        repository: Address of the repository, for the message.

    Raises:
        InputError: The copy lacks the file.
    """
    for path in (source / name, source / Path(name).name):
        if path.is_file():
            return path
    raise InputError(f"{source / name} is missing; --source is the root of a copy of {repository}")


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

    Files are not unpacked, so paths cannot lead out of a folder.

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


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a data set at a pinned revision."""

    repository: str
    """For example `kensho/DocFinQA`."""

    revision: str
    """Commit."""

    name: str
    """Path in the repository."""

    sha256: str

    def get(self, source: Path | None = None) -> Path:
        """Download the file into the hub's cache, or find it in a local copy.

        Args:
            source: Root of a local copy of the repository, or the file itself, of any revision;
                None downloads from `$HF_ENDPOINT`, with `$HF_TOKEN` if it is set.

        Raises:
            InputError: The local copy lacks the file, the download fails, or its digest differs.
        """
        if source is not None:
            remedy = f"https://huggingface.co/datasets/{self.repository}, or that file"
            return source if source.is_file() else local_file(source, self.name, remedy)
        address = f"{self.repository}/{self.name}"
        try:
            downloaded = hf_hub_download(
                self.repository, self.name, repo_type="dataset", revision=self.revision
            )
        except (HfHubHTTPError, EntryNotFoundError, ImportError, OSError, ValueError) as error:
            is_gated = isinstance(error, GatedRepoError)
            terms = "accept its terms on the hub and set HF_TOKEN, " if is_gated else ""
            raise InputError(
                f"download of {address} failed ({one_line(error)[:200]}); {terms}{_REMEDY}"
            ) from error
        path = Path(downloaded)
        if file_digest(path) != self.sha256:
            path.resolve().unlink()
            path.unlink(missing_ok=True)
            raise InputError(f"{address} does not have the expected SHA-256; nothing was kept")
        return path

    def source_of(self, path: Path) -> Source:
        """Return the origin for the manifest, with the revision only for the pinned file."""
        digest = file_digest(path)
        upstream = Upstream(f"https://huggingface.co/datasets/{self.repository}", self.revision)
        return upstream.source({self.name: digest}, is_pinned=digest == self.sha256)
