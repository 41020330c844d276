"""Tests of a corpus behind a search service: same results as the folder, one-line errors."""

import base64
import os
import shutil
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import httpx
import pytest
from inspect_ai import eval as inspect_eval

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.corpus import address as address_module
from arag_inspect.corpus.mirror import forget_mirrors
from arag_inspect.corpus.stores import remote
from arag_inspect.run import _access, serve_corpus
from arag_inspect.run._access import Access, make_access
from arag_inspect.run.serve_corpus import _Connection, search_app
from arag_inspect.tasks import earnings_synthetic
from tests.commands import call, typed
from tests.serving import Request, Response, free_port, running, serving


@pytest.fixture(scope="module")
def service(synthetic_folder: Path) -> Iterator[str]:
    with running(search_app(str(synthetic_folder), Access(with_samples=True))) as address:
        yield address


def test_agent_reads_same_from_service_as_from_folder(
    service: str, synthetic_folder: Path, logs: Path
) -> None:
    pytest.importorskip("torch")
    ran = []
    for corpus in (str(synthetic_folder), service):
        task = earnings_synthetic(corpus=corpus, system="arag", scorers="retrieval_pr")
        (log,) = inspect_eval(task, model="offline/extractive", limit=2, display="none")
        assert log.status == "success" and log.samples and log.results
        answers = [
            [(message.role, message.text) for message in sample.messages] for sample in log.samples
        ]
        ran.append((answers, [score.metrics["mean"].value for score in log.results.scores]))
    assert ran[0] == ran[1] and len(ran[0][0]) == 2


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("v1/search/keyword", {"keywords": ["a"]}, 400, "body.top_k: Field required"),
        ("v1/search/keyword", {"keywords": ["a"], "top_k": 0}, 400, "greater than or equal to 1"),
        ("v1/search/semantic", {"query": "a", "top_k": 1, "x": 1}, 400, "Extra inputs"),
        ("v1/chunks", {"chunk_ids": [10**6]}, 400, "no chunk 1000000"),
        ("v1/chunks", "x" * (5 << 20), 413, "at most 4,194,304 bytes"),
        ("v1/chunks", {"chunk_ids": list(range(1001))}, 400, "at most 1000 items"),
        ("v1/search/keyword", {"keywords": ["a"] * 1001, "top_k": 1}, 400, "at most 1000 items"),
        ("v1/search/keyword", {"keywords": ["ab" * 60] * 900, "top_k": 1}, 400, "at most 100,000"),
        ("v1/search/keyword", {"keywords": ["a"], "top_k": 1001}, 400, "less than or equal"),
        ("v1/search/semantic", {"query": "a", "top_k": 10**30}, 400, "less than or equal"),
        ("v1/search/semantic", {"query": "a" * 32_001, "top_k": 1}, 400, "at most 32000"),
        ("v1/chunks/ids", {"allowed": {"doc_ids": ["a"] * 10_001}}, 400, "at most 10,000"),
        ("v1/chunks/ids", {"allowed": {"x": 1}}, 400, "Unexpected keyword"),
        ("manifest.json", {}, 405, "Method Not Allowed"),
    ],
)
def test_invalid_request_is_rejected_in_one_line(
    service: str, path: str, body: object, status: int, said: str
) -> None:
    reply = httpx.post(f"{service}/{path}", json=body)
    assert reply.status_code == status and said in reply.json()["error"]


def test_null_and_filter_without_conditions_allow_every_chunk(service: str) -> None:
    pages = []
    no_conditions: list[dict[str, object]] = [{}, {"allowed": None}, {"allowed": {}}]
    for allowed in no_conditions:
        body = {"keywords": ["revenue"], "top_k": 3, **allowed}
        pages.append(
            httpx.post(f"{service}/v1/search/keyword", json=body).raise_for_status().json()
        )
    assert pages[0]["hits"] and pages[0] == pages[1] == pages[2]


@pytest.mark.parametrize(
    "content", [b"[" * 200_000, b'{"chunk_ids": [' + b"9" * 5000 + b"]}", b"\xff", b"", b"{"]
)
def test_unreadable_body_is_rejected_in_one_line(service: str, content: bytes) -> None:
    headers = {"content-type": "application/json"}
    reply = httpx.post(f"{service}/v1/chunks", content=content, headers=headers)
    assert reply.status_code == 400 and "\n" not in reply.json()["error"]


@pytest.mark.parametrize("name", ["chunks.jsonl", "..%2Fmanifest.json", "%2Fetc%2Fpasswd", ""])
def test_service_serves_only_small_files_of_folder(service: str, name: str) -> None:
    assert httpx.get(f"{service}/{name}").status_code == 404
    assert httpx.get(f"{service}/samples.jsonl").text.startswith("{")


@pytest.mark.parametrize(
    ("unread", "end"),
    [
        ([0, 900_000, 900_000], "abort"),  # the answer arrived after the first check
        ([900_000, 900_000], "abort"),
        ([900_000, 890_000], "abort"),
        ([900_000, 500_000, 10_000, 0], "close"),
        ([0, 0], "close"),
    ],
)
def test_client_that_stops_reading_is_disconnected(unread: list[int], end: str) -> None:
    ended, waiting = list[str](), [(None, 0)]
    sizes = iter(unread)
    connection = _Connection.__new__(_Connection)
    connection.cycle = cast(Any, SimpleNamespace(response_complete=True))
    calls: dict[str, Any] = {"get_write_buffer_size": lambda: next(sizes)}
    calls |= {end: partial(ended.append, end) for end in ("abort", "close")}
    connection.transport = cast(Any, SimpleNamespace(**calls))
    later = SimpleNamespace(call_later=lambda _, __, *arguments: waiting.append(arguments))
    connection.loop = cast(Any, later)
    while waiting:
        connection._check(*waiting.pop())
    assert ended == [end] and next(sizes, None) is None


def test_service_limits_reply_size_and_batches_documents(
    service: str, synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    opened, local = Corpus.open(service), Corpus.open(synthetic_folder)
    monkeypatch.setattr(serve_corpus, "_LONGEST_ANSWER", 20_000)
    body: list[dict[str, object]] = [
        {"chunk_ids": list(range(60))},
        {"keywords": ["the"], "top_k": 60},
        {"query": "revenue", "top_k": 60},
    ]
    for path, request in zip(("chunks", "search/keyword", "search/semantic"), body, strict=True):
        reply = httpx.post(f"{service}/v1/{path}", json=request, timeout=60)
        assert reply.status_code == 413 and "at most 20,000 characters" in reply.json()["error"]
    monkeypatch.setattr(remote, "BATCH", 5)
    document_ids = [*local.doc_ids[::-1], local.doc_ids[0]]
    assert opened.document_chunks(document_ids) == local.document_chunks(document_ids)
    with pytest.raises(InputError, match="has no document '../etc'"):
        opened.document_chunks([document_ids[0], "../etc"])


@pytest.fixture(scope="module")
def guarded(synthetic_folder: Path) -> Iterator[tuple[str, str]]:
    """A service that requires a token and returns no samples: its address and the token."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARAG_SECRET", TOKEN)
        access = make_access("0.0.0.0", ["rag.bank.example:8000", "[fd00::7]"], "ARAG_SECRET")
    with running(search_app(str(synthetic_folder), access)) as address:
        yield address, TOKEN


TOKEN = "t0ken/with:odd@characters"


def test_gold_files_are_not_served_by_default(guarded: tuple[str, str]) -> None:
    address, token = guarded
    with httpx.Client(base_url=address, auth=(token, "")) as client:
        files = client.get("manifest.json").json()["files"]
        assert sorted(files) == ["chunks.jsonl", "sentences.faiss"]
        for name in ("samples.jsonl", "facts.jsonl", "gold_chunk_map.json", "alignment.json"):
            assert client.get(name).status_code == 404


def test_task_names_option_when_service_serves_no_samples(
    guarded: tuple[str, str], synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARAG_TOKEN", TOKEN)
    address = guarded[0].replace("http://", "http://${ARAG_TOKEN}@")
    assert _search(Corpus.open(address)) == _search(Corpus.open(synthetic_folder))
    with pytest.raises(InputError, match=r"serves no samples; start it with: .* --with-samples"):
        earnings_synthetic(corpus=address)


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer  {TOKEN}", 200),
        ("BASIC " + base64.b64encode(f"{TOKEN}:".encode()).decode(), 200),
        ("Basic " + base64.b64encode(f"{TOKEN}:".encode()).decode(), 200),
        ("Basic " + base64.b64encode(f"{TOKEN}:x".encode()).decode(), 401),
        ("Basic " + base64.b64encode(f":{TOKEN}".encode()).decode(), 401),
        ("Basic " + base64.b64encode(f"user:{TOKEN}x".encode()).decode(), 401),
        ("Basic not-base64", 401),
        *(
            (other, 401)
            for other in (f"Bearer {TOKEN[:-1]}", f"Token {TOKEN}", TOKEN, "Bearer", "")
        ),
    ],
)
@pytest.mark.parametrize("path", ["manifest.json", "v1/documents/names", "nothing"])
def test_requests_without_valid_token_are_rejected(
    guarded: tuple[str, str], header: str, status: int, path: str
) -> None:
    method = "POST" if path.startswith("v1") else "GET"
    reply = httpx.request(method, f"{guarded[0]}/{path}", headers={"authorization": header})
    assert reply.status_code == (404 if status == 200 and path == "nothing" else status)
    if status == 401:
        assert "corpus=http://${ARAG_TOKEN}@HOST:PORT" in reply.json()["error"]


def test_missing_token_is_reported_in_one_line(guarded: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="refused access with status 401; with its token in"):
        Corpus.open(guarded[0])


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("[::1]:80", 200), ("127.0.0.2:8000", 200), ("rag.bank.example", 200),
        ("[FD00::7]:80", 200), ("evil.example", 400), ("rag.bank.example.evil.example", 400),
        ("localhost.evil.example", 400), ("[fd00::8]", 400), ("", 400),
    ],
)  # fmt: skip
def test_only_allowed_hosts_are_answered(guarded: tuple[str, str], host: str, status: int) -> None:
    headers = {"host": host, "authorization": f"Bearer {TOKEN}"}
    reply = httpx.get(f"{guarded[0]}/manifest.json", headers=headers)
    assert reply.status_code == status
    if status == 400:
        assert "--allow-host" in reply.json()["error"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3", "rag.bank.example", ""])
def test_serving_other_machines_requires_token(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = call("corpus serve nothing --host", host, code=1)
    assert f"Error: other machines reach {host}" in result.output
    for value in ("", "short", "x" * 20 + "\n", "ü" * 20):
        monkeypatch.setenv("ARAG_TOKEN", value)
        result = call("corpus serve nothing --token-env ARAG_TOKEN --host", host, code=1)
        assert "must have at least 16 characters" in result.output
    assert make_access("127.0.0.1") == Access(("127.0.0.1",))


_POST = b"POST /v1/chunks HTTP/1.1\r\nhost: localhost\r\n"


@pytest.mark.timeout(100)
@pytest.mark.parametrize(
    ("start", "part", "answer"),
    [
        (_POST + b"content-length: 99\r\n\r\n", b"x", b"408"),
        (_POST + b"transfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n", b"408"),
        (b"GET /manifest.json HTTP/1.1\r\nhost: localhost\r\n", b"x-a: b\r\n", b""),
        (b"", b"G", b""),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", b"G", b"404"),
    ],
)
def test_slow_senders_are_disconnected(
    synthetic_folder: Path, monkeypatch: Any, start: bytes, part: bytes, answer: bytes
) -> None:
    for module in (serve_corpus, _access):
        monkeypatch.setattr(module, "SECONDS", 0.2)
    with (
        running(search_app(str(synthetic_folder)), http=_Connection) as address,
        socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as connection,
    ):
        connection.settimeout(0.05)
        connection.sendall(start)
        received = b""
        while True:
            try:
                content = connection.recv(1000)
            except TimeoutError:
                with suppress(OSError):
                    connection.sendall(part)
                continue
            except ConnectionError:
                break
            received += content
            if not content:
                break
    assert answer in received.partition(b"\r\n")[0]


def _search(corpus: Corpus) -> object:
    return anyio.run(corpus.keyword_search, ["revenue"], 3)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Response(200, b"{]"), "sent a reply that cannot be read"),
        (
            Response(
                200,
                (
                    b'{"hits": [[3, 1.0, []]], "chunks": [], "hold_all": 1, "hold_any": 1, '
                    b'"complete": true}'
                ),
            ),
            "other chunks than it found",
        ),
        (Response(200, b"{}", {"arag-corpus": "another"}), "serves another corpus"),
        (Response(404, b"", {"arag-corpus": ""}), "is not an arag-inspect server"),
        (Response(500, b"<html>"), "refused: no reason given"),
        (Response(400, b'{"error": "\\u001b[31mno"}'), "refused: ␛[31mno"),
        (Response(200, b"x" * 2_000_000), "more than 1,000,000 bytes"),
        (Response(200, b"x" * 900, break_after=5), "does not answer"),
        (Response(200, b"no gzip", {"content-encoding": "gzip"}), "does not answer (DecodingError"),
        (Response(200, b"x", {"content-encoding": "gzip, gzip"}), "compressed as gzip, gzip"),
        (Response(503), "does not answer (ConnectError: status 503)"),
    ],
)
def test_invalid_service_reply_is_reported_in_one_line(
    reply: Response, said: str, synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_SECONDS", 0.3)
    monkeypatch.setattr(address_module, "_LONGEST", 1_000_000)
    manifest = Corpus.open(synthetic_folder).manifest
    digest = {"arag-corpus": manifest.chunks_sha256}
    headers = {name: value for name, value in {**digest, **reply.headers}.items() if value}

    def answer(request: Request) -> Response:
        if request.method == "POST":
            return Response(reply.status, reply.body, headers, reply.break_after)
        path = synthetic_folder / request.path.removeprefix("/")
        return Response(200, path.read_bytes())

    with serving(answer) as address, pytest.raises(InputError) as caught:
        _search(Corpus.open(address))
    forget_mirrors()
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["address.txt", "Address.txt", "notes.md"])
def test_file_in_corpus_folder_cannot_redirect_searches(
    name: str, synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in a local folder nor behind a service."""
    monkeypatch.setenv("OTHER_KEY", "hunter2-hunter2")
    folder = tmp_path / "corpus"
    shutil.copytree(synthetic_folder, folder)
    requests: list[Request] = []

    def trap(request: Request) -> Response:
        requests.append(request)
        return Response(500)

    def answer(request: Request) -> Response:
        return trap(request) if request.method == "POST" else Response(200, files[request.path])

    with serving(trap) as other:
        (folder / name).write_text(f"{other}/${{OTHER_KEY}}")
        assert Corpus.open(folder).doc_ids == Corpus.open(synthetic_folder).doc_ids
        manifest = Corpus.open(folder).manifest
        manifest.write_files(folder, {name: (folder / name).read_text()}, {}).write(folder)
        files = {f"/{path.name}": path.read_bytes() for path in folder.iterdir()}
        assert Corpus.open(folder).doc_ids and not requests
        with serving(answer) as address, pytest.raises(InputError, match="refused"):
            print(Corpus.open(address).doc_ids)
    forget_mirrors()
    assert [request.path for request in requests] == ["/v1/documents/names"]


def test_lost_connection_is_retried(service: str) -> None:
    lost: list[Request] = []

    def answer(request: Request) -> Response:
        if request.method == "POST" and len(lost) < 2:
            lost.append(request)
            return Response(200, b"x" * 100, break_after=10)
        headers, content = {"content-type": "application/json"}, request.body
        url = service + request.path
        passed = httpx.request(request.method, url, content=content, headers=headers)
        corpus_header = {"arag-corpus": passed.headers["arag-corpus"]}
        return Response(passed.status_code, passed.content, corpus_header)

    with serving(answer) as address:
        assert _search(Corpus.open(address)) == _search(Corpus.open(service))
    assert len(lost) == 2


COMMANDS = (
    "ask CORPUS question --model offline/extractive",
    "prepare synthetic --store lance --out CORPUS",
    "corpus convert CORPUS --store lance --out out",
    "run earnings_synthetic --model offline/extractive -T corpus=CORPUS",
    "doctor --system json:dumps --corpus CORPUS",
    "corpus serve CORPUS",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "corpus", ["http://user:PASSWORD@127.0.0.1:9", "https://PASSWORD@host", "s3://b/c?sig=PASSWORD"]
)
def test_commands_never_print_or_record_passwords(logs: Path, command: str, corpus: str) -> None:
    result = call(command.replace("CORPUS", corpus), code=1)
    assert "PASSWORD" not in result.output and "must not contain" in result.output
    assert not any(b"PASSWORD" in path.read_bytes() for path in logs.parent.rglob("*.*"))


def test_unreachable_service_is_reported_in_one_line() -> None:
    with pytest.raises(InputError, match="http://127.0.0.1:9 failed"):
        Corpus.open("http://127.0.0.1:9")


def test_corpus_serve_runs_until_interrupted(synthetic_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    port, found, ended = free_port(), list[object](), threading.Event()

    def search() -> None:
        while not ended.wait(0.05):
            with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)):
                break
        try:
            found.append(_search(Corpus.open(f"http://127.0.0.1:{port}")))
        finally:
            if not ended.is_set():
                os.kill(os.getpid(), signal.SIGINT)

    client = threading.Thread(target=search)
    client.start()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
    try:
        shown = typed(tmp_path, f"arag-inspect corpus serve {synthetic_folder} --port {port}")
    finally:
        signal.signal(signal.SIGINT, before)
        ended.set()
        client.join()
    assert f"is served at http://127.0.0.1:{port}; Ctrl-C ends it" in shown
    assert "Samples and gold answers are not given" in shown
    assert found == [_search(Corpus.open(synthetic_folder))]
