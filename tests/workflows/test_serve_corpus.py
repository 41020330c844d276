"""A corpus behind a search service: evaluated as the folder is, and what goes wrong is one line."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx
import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval

from arag_inspect._util.errors import InputError
from arag_inspect.cli.main import main
from arag_inspect.corpus import Corpus
from arag_inspect.corpus import service as service_module
from arag_inspect.corpus.address import forget_mirrors
from arag_inspect.corpus.stores import remote
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.workflows.serve_corpus import search_app
from tests.serving import Request, Response, free_port, running, serving


@pytest.fixture(scope="module")
def service(synthetic_folder: Path) -> Iterator[str]:
    with running(search_app(str(synthetic_folder))) as address:
        yield address


def test_an_agent_reads_the_same_through_the_service(
    service: str, synthetic_folder: Path, logs: Path
) -> None:
    ran = []
    for corpus in (str(synthetic_folder), service):
        task = earnings_synthetic(corpus=corpus, system="arag", scorers="retrieval_pr")
        (log,) = inspect_eval(task, model="offline/extractive", limit=3, display="none")
        assert log.status == "success" and log.samples and log.results
        answers = [
            [(message.role, message.text) for message in sample.messages] for sample in log.samples
        ]
        ran.append((answers, [score.metrics["mean"].value for score in log.results.scores]))
    assert ran[0] == ran[1] and len(ran[0][0]) == 3


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("v1/search/keyword", {"keywords": ["a"]}, 400, "body.top_k: Field required"),
        ("v1/search/keyword", {"keywords": ["a"], "top_k": 0}, 400, "greater than or equal to 1"),
        ("v1/search/semantic", {"query": "a", "top_k": 1, "x": 1}, 400, "Extra inputs"),
        ("v1/documents", {"doc_ids": ["../etc"]}, 400, "has no document '../etc'"),
        ("v1/chunks", {"chunk_ids": [10**6]}, 400, "there is no chunk 1000000"),
        ("v1/chunks", "x" * (17 << 20), 413, "at most 16,777,216 bytes"),
    ],
)
def test_what_cannot_be_answered_is_one_line(
    service: str, path: str, body: object, status: int, said: str
) -> None:
    reply = httpx.post(f"{service}/{path}", json=body)
    assert reply.status_code == status and said in reply.json()["error"]


@pytest.mark.parametrize("name", ["chunks.jsonl", "..%2Fmanifest.json", "%2Fetc%2Fpasswd", ""])
def test_only_the_small_files_of_the_folder_are_given(service: str, name: str) -> None:
    assert httpx.get(f"{service}/{name}").status_code == 404
    assert httpx.get(f"{service}/samples.jsonl").text.startswith("{")


def _search(corpus: Corpus) -> object:
    return anyio.run(corpus.keyword_search, ["revenue"], 3)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Response(200, b"{]"), "gave a reply that cannot be read"),
        (Response(200, b'{"hits": [[3, 1.0, []]], "chunks": []}'), "other chunks than it found"),
        (Response(200, b"{}", {"arag-corpus": "another"}), "serves another corpus"),
        (Response(404, b"", {"arag-corpus": ""}), "is not an arag-inspect server"),
        (Response(500, b"<html>"), "refused: no reason was given"),
        (Response(400, b'{"error": "\\u001b[31mno"}'), "refused: ␛[31mno"),
        (Response(200, b"x" * 2_000_000), "more than 1,000,000 bytes"),
        (Response(200, b"x" * 900, break_after=5), "does not answer"),
        (Response(503), "does not answer (ConnectError: status 503)"),
    ],
)
def test_a_service_is_not_trusted(
    reply: Response, said: str, synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_SECONDS", 0.3)
    monkeypatch.setattr(service_module, "_LONGEST", 1_000_000)
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


def test_a_lost_connection_is_tried_again(service: str) -> None:
    lost: list[Request] = []

    def answer(request: Request) -> Response:
        if request.method == "POST" and len(lost) < 2:
            lost.append(request)
            return Response(200, b"x" * 100, break_after=10)
        passed = httpx.request(
            request.method,
            service + request.path,
            content=request.body,
            headers={"content-type": "application/json"},
        )
        return Response(
            passed.status_code, passed.content, {"arag-corpus": passed.headers["arag-corpus"]}
        )

    with serving(answer) as address:
        assert _search(Corpus.open(address)) == _search(Corpus.open(service))
    assert len(lost) == 2


COMMANDS = (
    "ask CORPUS question --model offline/extractive",
    "prepare synthetic --store lance --out CORPUS",
    "convert CORPUS --store lance --out out",
    "run earnings_synthetic --model offline/extractive -T corpus=CORPUS",
    "check-system json:dumps --corpus CORPUS",
    "serve CORPUS",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "corpus",
    ["http://user:PASSWORD@127.0.0.1:9", "https://PASSWORD@host", "s3://b/c?sig=PASSWORD"],
)
def test_no_command_prints_or_records_a_password(logs: Path, command: str, corpus: str) -> None:
    done = CliRunner().invoke(main, [part.replace("CORPUS", corpus) for part in command.split()])
    assert done.exit_code == 1, done.output
    assert "PASSWORD" not in done.output and "must not hold" in done.output
    assert not any(b"PASSWORD" in path.read_bytes() for path in logs.parent.rglob("*.*"))


def test_no_service_at_the_address_is_one_line() -> None:
    with pytest.raises(InputError, match="http://127.0.0.1:9 failed"):
        Corpus.open("http://127.0.0.1:9")


def test_the_command_serves_until_it_is_interrupted(synthetic_folder: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "arag_inspect.cli.main", "serve", str(synthetic_folder)]
    with subprocess.Popen(
        [*command, "--port", str(port)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert f"is served at http://127.0.0.1:{port}; Ctrl-C ends it" in process.stdout.readline()
        opened = Corpus.open(f"http://127.0.0.1:{port}")
        assert _search(opened) == _search(Corpus.open(synthetic_folder))
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
