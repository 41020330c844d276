"""Tests of downloads from the Hugging Face Hub, against a local server."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import huggingface_hub
import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks._shared.download import HubFile
from tests.serving import Request, Response, serving

CONTENT = b"some rows" * 50_000
FILE = HubFile("org/set", "a" * 40, "data/rows.json", hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Use an empty cache; return a function that sets the hub's address."""
    constants = huggingface_hub.constants
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_test")
    huggingface_hub.utils.close_session()

    def set_address(url: str) -> None:
        monkeypatch.setattr(constants, "ENDPOINT", url)
        template = url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)

    return set_address


def serve(request_log: list[Request], content: bytes = CONTENT) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        request_log.append(request)
        if not request.path.startswith("/datasets/org/set/resolve/"):
            return Response(404)
        digest = hashlib.sha256(content).hexdigest()
        headers = {"X-Repo-Commit": FILE.revision, "ETag": f'"{digest}"'}
        return Response(200, content, headers)

    return answer


def test_hub_file_is_downloaded_once_at_pinned_revision(hub: Callable[[str], None]) -> None:
    request_log: list[Request] = []
    with serving(serve(request_log)) as url:
        hub(url)
        for _ in range(2):
            path = FILE.get()
            assert path.read_bytes() == CONTENT and FILE.source_of(path).commit == FILE.revision
    address = f"/datasets/org/set/resolve/{FILE.revision}/data/rows.json"
    requests = [request for request in request_log if request.path == address]
    assert [request.method for request in requests] == ["HEAD", "GET"]
    assert requests[1].headers["authorization"] == "Bearer hf_of_the_test"


def test_hub_file_with_wrong_digest_is_discarded(
    hub: Callable[[str], None], tmp_path: Path
) -> None:
    with serving(serve([])) as url:
        hub(url)
        with pytest.raises(InputError, match="does not have the expected SHA-256; nothing was"):
            replace(FILE, sha256="0" * 64).get()
    assert not [path for path in (tmp_path / "hub").rglob("*") if path.name == "rows.json"]


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (404, "EntryNotFound", r"download of org/set/data/rows.json failed \(.*404"),
        (401, "", r"download of org/set/data/rows.json failed \(.*401"),
        (403, "GatedRepo", "accept its terms on the hub and set HF_TOKEN"),
        (500, "", r"download of org/set/data/rows.json failed \("),
    ],
)
def test_hub_download_failure_is_reported_in_one_line(
    hub: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    code: str,
    message: str,
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)  # between retries
    with serving(lambda _: Response(status, b"", {"X-Error-Code": code} if code else {})) as url:
        hub(url)
        with pytest.raises(InputError, match=message) as raised:
            FILE.get()
    assert "\n" not in raised.value.message
