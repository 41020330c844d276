"""Downloads: kept only if they are whole and the right file; errors are one line."""

import io
import re
import subprocess
import sys
import tarfile
import tracemalloc
from pathlib import Path

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.datasets._io.download import fetch, read_archive
from tests.serving import FileServer, serving

CONTENT = b"old" * 100_000


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_broken_download_is_not_kept(cache: Path) -> None:
    server = FileServer(CONTENT, breaks=1)
    with serving(server) as url:
        with pytest.raises(InputError, match=r"failed \(\w+\); run the command again, or give"):
            fetch(url, "file")
        assert [path.name for path in cache.iterdir()] == [".lock"]
        assert fetch(url, "file").read_bytes() == CONTENT
    assert {path.name for path in cache.iterdir()} == {".lock", "file", "file.sha256"}


def test_damaged_cache(cache: Path) -> None:
    with serving(FileServer(CONTENT)) as url:
        fetch(url, "file")
        (cache / "file.sha256").write_bytes(b"\xe9")
        with pytest.raises(InputError, match=r"file.sha256 holds no SHA-256; delete it"):
            fetch(url, "file")
        (cache / "folder").mkdir()
        with pytest.raises(InputError, match=r"cannot be kept \(.*directory"):
            fetch(url, "folder")


def test_no_server(cache: Path) -> None:
    with pytest.raises(InputError) as raised:
        fetch("http://127.0.0.1:9/file", "file")
    assert raised.value.message == (
        "download of http://127.0.0.1:9/file failed (ConnectionError); "
        "run the command again, or give a local copy with --source"
    )


def test_two_processes_that_download_at_once_keep_one_whole_file(cache: Path) -> None:
    program = "import sys; from arag_inspect.datasets._io.download import fetch; fetch(sys.argv[1], 'file')"
    server = FileServer(CONTENT)
    with serving(server) as url:
        processes = [subprocess.Popen([sys.executable, "-c", program, url]) for _ in range(2)]
        assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert (cache / "file").read_bytes() == CONTENT and len(server.asked) == 1


def test_an_archive_is_bounded_as_a_whole(tmp_path: Path) -> None:
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


def test_an_error_page_in_place_of_the_file_is_not_kept(cache: Path) -> None:
    server = FileServer(b"<!DOCTYPE html><p>Come back later.")
    with serving(server) as url:
        with pytest.raises(InputError, match="another kind of file, beginning with b'<!DOCTYPE"):
            fetch(url, "file", begins=(b"%PDF-",))
        server.content = b"%PDF-1.7 and so on"
        assert fetch(url, "file", begins=(b"%PDF-",)).read_bytes() == server.content
