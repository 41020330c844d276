"""Tests of downloads: only complete and correct files are kept, and errors are one line."""

import gzip
import io
import re
import tarfile
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks._shared import download
from arag_inspect.benchmarks._shared.download import Upstream, evict, fetch, read_archive
from tests.faults.processes import forked, status
from tests.serving import FileServer, Request, Response, serving

CONTENT = b"old" * 100_000


def cached_files(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.glob("downloads/*/*") if path.name != ".lock")


def test_interrupted_download_is_discarded_and_retried(cache: Path) -> None:
    server = FileServer(CONTENT, breaks=1)
    with serving(server) as url:
        with pytest.raises(InputError, match=r"failed \(\w+: .*\); run the command again, or give"):
            fetch(url, "file")
        assert cached_files(cache) == []
        assert fetch(url, "file").read_bytes() == CONTENT
    assert cached_files(cache) == ["file", "file.sha256"]


@pytest.mark.parametrize("half_written", [b"", b"\xe9", b"0" * 40])
def test_truncated_digest_triggers_new_download(cache: Path, half_written: bytes) -> None:
    server = FileServer(CONTENT)
    with serving(server) as url:
        path = fetch(url, "file")
        path.with_name("file.sha256").write_bytes(half_written)
        assert fetch(url, "file").read_bytes() == CONTENT and len(server.asked) == 2
        assert fetch(url, "file") == path and len(server.asked) == 2


def test_fetch_raises_when_folder_occupies_file_path(cache: Path) -> None:
    with serving(FileServer(CONTENT)) as url:
        path = fetch(url, "file")
        path.unlink()
        path.mkdir()
        with pytest.raises(InputError, match=r"cannot be kept \(.*directory"):
            fetch(url, "file")


@pytest.mark.parametrize("operation", ["replace", "write_text", "open"])
@pytest.mark.parametrize("occasion", [1, 2])
def test_fetch_recovers_after_kill_during_any_write(
    cache: Path, monkeypatch: pytest.MonkeyPatch, operation: str, occasion: int
) -> None:
    """A `KeyboardInterrupt` in place of a write simulates the process ending there."""
    calls = 0
    original = getattr(Path, operation)

    def interrupted(path: Path, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == occasion:
            if operation == "write_text":
                path.write_bytes(b"")  # opened, but nothing written
            raise KeyboardInterrupt
        return original(path, *args, **kwargs)

    with serving(FileServer(CONTENT)) as url:
        with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(Path, operation, interrupted)
            fetch(url, "file")
        assert fetch(url, "file").read_bytes() == CONTENT


@pytest.mark.parametrize("other", ["/b", "/a?revision=2", "/a/file"])
def test_downloads_are_cached_per_url(cache: Path, other: str) -> None:
    with serving(lambda request: Response(200, request.path.encode())) as url:
        for path in ("/a", other, "/a", other):
            assert fetch(url + path, "file").read_bytes() == path.encode()
        with pytest.raises(InputError, match=r"does not have the expected SHA-256 \(0{12}\.\.\."):
            fetch(f"{url}/a", "file", "0" * 64)


def test_fetch_rejects_changed_remote_file_until_evicted(cache: Path) -> None:
    server = FileServer(CONTENT)
    with serving(server) as url:
        path = fetch(url, "file")
        path.write_bytes(b"damaged")
        assert fetch(url, "file").read_bytes() == CONTENT
        path.unlink()
        server.content = b"new"
        with pytest.raises(InputError, match="does not have the expected SHA-256"):
            fetch(url, "file")
        evict(path)
        assert fetch(url, "file").read_bytes() == b"new"


def test_fetch_follows_redirects(cache: Path) -> None:
    def answer(request: Request) -> Response:
        moved = {"Location": f"http://{request.headers['host']}/there"}
        return Response(302, b"", moved) if request.path != "/there" else Response(200, CONTENT)

    with serving(answer) as url:
        assert fetch(f"{url}/here", "file").read_bytes() == CONTENT


@pytest.mark.parametrize("is_pinned", [True, False])
def test_source_names_revision_of_pinned_files_only(is_pinned: bool) -> None:
    source = Upstream("https://example.com/set", "c0ffee").source({"a": "0"}, is_pinned=is_pinned)
    origin = ("https://example.com/set", "c0ffee") if is_pinned else (None, None)
    assert (source.url, source.commit, source.inputs) == (*origin, {"a": "0"})


@pytest.mark.parametrize("status", [None, 404, 503])
def test_fetch_raises_when_server_refuses_or_is_unreachable(
    cache: Path, status: int | None
) -> None:
    reason = rf"with status {status}" if status else r"\(ConnectError: .*\)"
    with serving(FileServer(b"", status=status or 200)) as url:
        address = f"{url}/file" if status else "http://127.0.0.1:9/file"
        with pytest.raises(InputError, match=f"{reason}; run the command again, or give a local"):
            fetch(address, "file")
    assert cached_files(cache) == []


def test_concurrent_fetches_download_file_once(cache: Path) -> None:
    server = FileServer(CONTENT)

    def slow(request: Request) -> Response:
        time.sleep(0.5)  # the other process starts meanwhile
        return server(request)

    with serving(slow) as url:
        children = [forked(lambda: fetch(url, "file"), silent=False) for _ in range(2)]
        assert [status(child, 120) for child in children] == [0, 0]
    (path,) = cache.rglob("file")
    assert path.read_bytes() == CONTENT and len(server.asked) == 1


def test_archive_is_rejected_when_total_text_size_exceeds_limit(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.tar.gz"
    size = 40 << 20
    with tarfile.open(bomb, "w:gz", compresslevel=1) as archive:
        for number in range(8):
            member = tarfile.TarInfo(f"top/{number}.txt")
            member.size = size
            archive.addfile(member, io.BytesIO(bytes(size)))
    assert bomb.stat().st_size < 10 << 20
    tracemalloc.start()
    with pytest.raises(InputError, match=r"its texts have more than 268 MB together, too much"):
        read_archive(bomb, re.compile(r".*\.txt"))
    assert tracemalloc.get_traced_memory()[1] < 300 << 20
    tracemalloc.stop()


def test_error_page_is_rejected_by_file_signature(cache: Path) -> None:
    server = FileServer(b"<!DOCTYPE html><p>Come back later.")
    with serving(server) as url:
        with pytest.raises(
            InputError, match="an unexpected kind of file, beginning with b'<!DOCTYPE"
        ):
            fetch(url, "file", begins=(b"%PDF-",))
        server.content = b"%PDF-1.7 and so on"
        assert fetch(url, "file", begins=(b"%PDF-",)).read_bytes() == server.content


def test_fetch_rejects_download_over_size_limit(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_MOST_DOWNLOADED", 1 << 20)
    packed = gzip.compress(bytes(2 << 20))
    for response in (
        Response(200, bytes(2 << 20)),
        Response(200, bytes(2 << 20), length=None),
        Response(200, packed, {"Content-Encoding": "gzip"}),
    ):
        with (
            serving(lambda _, response=response: response) as url,  # type: ignore[misc]
            pytest.raises(InputError, match="has more than 1 MiB"),
        ):
            fetch(f"{url}/file", "file")
    assert cached_files(cache) == []
