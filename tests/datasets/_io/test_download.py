"""Downloads: joined only where they fit, kept only where they are whole, told in one line."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.datasets._io.download import fetch
from tests.serving import FileServer, Request, Response, serving

OLD, NEW = b"old" * 100_000, b"new!" * 80_000


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def break_off(url: str) -> None:
    with pytest.raises(InputError, match=r"\(the connection broke off\); run the command again"):
        fetch(url, "file")


def test_file_that_changed_between_attempts_is_fetched_whole(cache: Path) -> None:
    server = FileServer(OLD, breaks=1)
    with serving(server) as url:
        break_off(url)
        server.content = NEW
        assert fetch(url, "file").read_bytes() == NEW
    kept = {path.name for path in cache.iterdir()} - {".lock"}
    assert server.ranges[1] and kept == {"file", "file.sha256"}


@pytest.mark.parametrize(
    "said", ["bytes 0-299999/300000", "bytes {have}-{last}/400000", "bytes x", ""]
)
def test_another_part_than_was_asked_for_is_not_joined(cache: Path, said: str) -> None:
    server = FileServer(OLD, breaks=1)

    def answer(request: Request) -> Response:
        right = server(request)
        have = len(OLD) - len(right.body)
        told = said.format(have=have, last=len(OLD) - 1)
        return replace(right, headers={**right.headers, "Content-Range": told})

    with serving(answer) as url:
        break_off(url)
        assert fetch(url, "file").read_bytes() == OLD
    assert [bool(one) for one in server.ranges] == [False, True, False]


def test_part_of_unknown_origin_is_not_joined(cache: Path) -> None:
    server = FileServer(OLD)
    cache.mkdir()
    (cache / "file.part").write_bytes(b"x" * 5000)
    with serving(server) as url:
        assert fetch(url, "file").read_bytes() == OLD
    assert server.ranges == [None]


@pytest.mark.parametrize("length", [None, "abc"])
def test_file_of_unknown_length_is_not_trusted(cache: Path, length: str | None) -> None:
    with (
        serving(lambda _: Response(200, OLD[:500], length=length)) as url,
        pytest.raises(InputError, match="the server does not say where the file ends"),
    ):
        fetch(url, "file")
    assert not (cache / "file").exists() and not (cache / "file.sha256").exists()


def test_empty_file_and_unasked_part_are_refused(cache: Path) -> None:
    with (
        serving(lambda _: Response(200, b"")) as url,
        pytest.raises(InputError, match="the file is empty"),
    ):
        fetch(url, "file")
    part = Response(206, OLD[:500], {"Content-Range": "bytes 0-499/300000"})
    with (
        serving(lambda _: part) as url,
        pytest.raises(InputError, match="gives only a part of the file"),
    ):
        fetch(url, "file")
    assert not (cache / "file").exists()


def test_damaged_cache(cache: Path) -> None:
    with serving(FileServer(OLD)) as url:
        fetch(url, "file")
        (cache / "file.sha256").write_bytes(b"\xe9")
        with pytest.raises(InputError, match=r"file.sha256 holds no SHA-256; delete it"):
            fetch(url, "file")
        (cache / "folder").mkdir()
        with pytest.raises(InputError, match="folder is a folder; remove it"):
            fetch(url, "folder")


def test_nobody_answers(cache: Path) -> None:
    with pytest.raises(InputError) as told:
        fetch("http://127.0.0.1:9/file", "file")
    assert told.value.message == (
        "download of http://127.0.0.1:9/file failed (no connection); "
        "run the command again to resume it, or give a local copy with --source"
    )


def test_two_processes_that_download_at_once_keep_one_whole_file(cache: Path) -> None:
    program = "import sys; from arag_inspect.datasets._io.download import fetch; fetch(sys.argv[1], 'file')"
    server = FileServer(OLD)
    with serving(server) as url:
        both = [subprocess.Popen([sys.executable, "-c", program, url]) for _ in range(2)]
        assert [one.wait(timeout=120) for one in both] == [0, 0]
    assert (cache / "file").read_bytes() == OLD and len(server.asked) == 1


def test_a_page_in_place_of_the_file_is_not_kept(cache: Path) -> None:
    server = FileServer(b"<!DOCTYPE html><p>Come back later.")
    with serving(server) as url:
        with pytest.raises(InputError, match="gave something else than the file, beginning with"):
            fetch(url, "file", begins=(b"%PDF-",))
        server.content = b"%PDF-1.7 and so on"
        assert fetch(url, "file", begins=(b"%PDF-",)).read_bytes() == server.content
