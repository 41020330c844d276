"""Tests of the agent with the tools of an MCP server."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.solvers import arag
from tests.scripted import Script, scripted, summarized, trace_of
from tests.serving import Response, running, serving

SERVER = """
import sys
import json
from mcp.server.mcpserver import MCPServer

texts = [json.loads(line)["text"] for line in open(sys.argv[1])]
server = MCPServer("library")

@server.tool()
def look_up(word: str) -> str:
    "Find a passage that holds a word."
    return next(text for text in texts if word in text.lower())

server.run("stdio")
"""


@pytest.mark.usefixtures("logs")
def test_agent_reads_through_mcp_server_tools(
    synthetic_folder: Path, corpus: Corpus, tmp_path: Path
) -> None:
    pytest.importorskip("mcp.server.mcpserver")
    (tmp_path / "server.py").write_text(SERVER)
    script = Script(("look_up", {"word": "guidance"}), "Guidance was raised.")
    server = f"{sys.executable} {tmp_path}/server.py {synthetic_folder}/chunks.jsonl"
    log = summarized(synthetic_folder, scripted(script), system_args={"mcp": server})
    assert log.status == "success", log.error
    trace = trace_of(log)
    assert script.tools[0] == ["look_up"]
    assert trace.passages and trace.passages[0].chunk_id >= 0
    assert "guidance" in corpus.chunk(trace.passages[0].chunk_id).text.lower()
    assert trace.loops == 2 and trace.passages[0].loop == 1


@contextmanager
def library(text: str) -> Iterator[str]:
    """An HTTP server whose tool repeats the header it received, as careless tools do."""
    mcpserver = pytest.importorskip("mcp.server.mcpserver")
    server = mcpserver.MCPServer("library", log_level="ERROR")

    @server.tool()  # type: ignore[untyped-decorator]
    def look_up(word: str) -> str:
        "Find a passage that holds a word."
        if word == "nothing":
            raise ValueError(f"denied to {SECRET}")
        return f"{text} (asked by {tool_texts[-1]})"

    tool_texts: list[str] = []
    inner = server.streamable_http_app()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            tool_texts.append(dict(scope["headers"]).get(b"authorization", b"nobody").decode())
        await inner(scope, receive, send)

    with running(app) as url:
        yield f"{url}/mcp"


SECRET = "sk-very-s3cret-value"
HEADERS = {"mcp_headers": {"Authorization": "Bearer ${RAG_TOKEN}"}}


@pytest.mark.usefixtures("logs")
def test_credentials_reach_mcp_server_but_not_log(
    synthetic_folder: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_TOKEN", SECRET)
    script = Script(("look_up", {"word": "a"}), ("look_up", {"word": "nothing"}), "Raised.")
    with library(corpus.chunk(0).text[:300]) as url:
        log = summarized(synthetic_folder, scripted(script), system_args={"mcp": url, **HEADERS})
    assert log.status == "success" and log.samples, log.error
    results = [message.text for message in log.samples[0].messages if message.role == "tool"]
    assert "(asked by Bearer ${RAG_TOKEN})" in results[0]
    assert SECRET not in log.model_dump_json()
    assert trace_of(log).passages[0].chunk_id == 0


BAD_SERVERS = [
    (Response(401, b"who are you"), "error response); check it"),
    (
        Response(200, b"<!DOCTYPE html><title>Bad gateway</title>", {"Content-Type": "text/html"}),
        "html",
    ),
]


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize(("response", "reason"), BAD_SERVERS)
def test_address_without_mcp_server_is_reported_with_reason(
    synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch, response: Response, reason: str
) -> None:
    pytest.importorskip("mcp.server.mcpserver")
    monkeypatch.setenv("RAG_TOKEN", SECRET)
    with serving(lambda _: response) as url:
        model = scripted(Script("Nothing was read."))
        log = summarized(synthetic_folder, model, system_args={"mcp": url, **HEADERS})
    assert log.status == "error" and log.error
    assert reason in log.error.message.lower(), log.error.message
    assert url in log.error.message and len(log.error.message.splitlines()) == 1
    assert SECRET not in log.model_dump_json()


def test_arag_rejects_unusable_mcp_headers() -> None:
    for address, headers, message in (
        ("http://host/mcp", {"Authorization": "Bearer abc"}, "would be written to the log"),
        ("http://host/mcp", {"X": "${NO_SUCH}"}, "needs the environment variable NO_SUCH"),
        ("python server.py", {"Accept": "1"}, "mcp_headers go with an address"),
    ):
        with pytest.raises(InputError, match=message):
            arag(mcp=address, mcp_headers=headers)


def test_arag_rejects_mcp_address_with_password() -> None:
    with pytest.raises(InputError, match="must not contain a credential"):
        arag(mcp="http://user:secret@host/mcp")
