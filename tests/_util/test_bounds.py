"""Tests of limits on oversized input from models, tool servers, services and files."""

import json
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.corpus.documents.text import read_text
from arag_inspect.report import frames
from arag_inspect.report.people.review_sheet import read_review_sheet
from arag_inspect.solvers import external, replay
from arag_inspect.systems.tools import mcp
from tests.logs import samples_of
from tests.report import material as m
from tests.scripted import Script, run, scripted, summarized, trace_of
from tests.serving import Request, Response, serving

pytestmark = pytest.mark.usefixtures("logs")

CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("keyword_search", {"keywords": [f"zq{i}" for i in range(2_000)]}, "first 64 keywords are"),
    ("keyword_search", {"keywords": "z" * 20_000}, "first 200 characters of a keyword are used"),
    ("keyword_search", {"keywords": ["revenue"] * 65}, "first 64 keywords are used"),
    ("keyword_search", {"keywords": ["revenue"] * 64}, "revenue"),
    ("keyword_search", {"keywords": ["\ud83d", "a\udc00b"]}, "No chunk contains any of"),
    ("semantic_search", {"query": "revenue " * 20_000}, "first 4,000 characters are used"),
    ("semantic_search", {"query": "revenue \ud83d outlook"}, "chunk_id"),
    ("chunk_summarize", {"chunk_ids": [1], "focus": "p " * 20_000}, "first 4,000 characters"),
    ("chunk_summarize", {"chunk_ids": [0], "focus": "\ud83d"}, "passage"),
    ("chunk_read", {"chunk_ids": list(range(2_000))}, "only the first 64 chunk ids are used"),
    (
        "chunk_read",
        {"chunk_ids": " ".join(map(str, range(2_000)))},
        "first 64 chunk ids are used",
    ),
    ("chunk_read", {"chunk_ids": ["none"] * 2_000 + [1]}, "chunk_ids has no id"),
    ("chunk_read", {"chunk_ids": [10**17] * 65}, "first 64 chunk ids are used"),
    ("grep", {"pattern": "(" * 1_000}, "is not a regular expression"),
    ("grep", {"pattern": "x" * 20_000}, "pattern must have 1 to 1000 characters"),
]
"""A tool call and the expected text of its result."""


def test_tools_truncate_oversized_arguments_and_report_truncation(corpus: Corpus) -> None:
    script = Script(*((name, arguments) for name, arguments, _ in CALLS), "Done.")
    names = sorted({name for name, _, _ in CALLS})
    log = summarized(
        corpus.path,
        scripted(script),
        system_args={"tools": names, "max_loops": 100, "max_token_budget": 10**9},
        model_roles={"summarizer": "offline/extractive"},
        log_model_api=False,
    )
    assert log.status == "success", log.error
    results = [message for message in script.asked[-1] if message.role == "tool"]
    assert len(results) == len(CALLS)
    for (name, _, notice), message in zip(CALLS, results, strict=True):
        reply = message.error.message if message.error else message.text
        assert notice in reply, (name, reply[:500])
        if notice != "revenue" and "passage" not in reply and "snippet" not in reply:
            assert len(reply) < 800
    first, *_ = trace_of(log).searches
    assert len(first.query) == 64


BIG_ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"text": "a", "steps": [{"query": "q"}] * 100_000}, "has more than 1,000 steps"),
    ({"text": "a", "passages": [""] * 300_000}, "has more than 1,000 passages"),
    ({"text": "a", "sources": {str(n): ["", ""] for n in range(501)}}, "than 1,000 passages"),
    ({"text": "a", "x": [0] * 500_001}, "has more than 500,000 values"),
    ({"text": "a", "steps": [{"query": "q", "chunk_ids": [1] * 1_001}]}, "than 1,000 passages"),
]


def test_oversized_service_reply_is_rejected_in_one_line() -> None:
    def answer(request: Request) -> Response:
        number = int(json.loads(request.body)["question"])
        return Response(200, json.dumps(BIG_ANSWERS[number][0]).encode())

    with serving(answer) as url:
        samples = [Sample(id=n, input=str(n)) for n in range(len(BIG_ANSWERS))]
        log = run(Task(samples, solver=external(target=url)), "none", fail_on_error=False)
    for (_, message), sample in zip(BIG_ANSWERS, samples_of(log), strict=True):
        assert sample.error and message in sample.error.message
        assert len(sample.error.message) < 1_000 and len(sample.error.message.splitlines()) == 1


def test_replay_rejects_prediction_with_too_many_searches(tmp_path: Path) -> None:
    call = {"loop": 1, "tool_name": "s", "arguments": {"query": "q"}, "tool_result": "{}"}
    record = {"id": "1", "predicted": "a", "trace": [call] * 1_001}
    (tmp_path / "p.jsonl").write_text(json.dumps(record))
    with pytest.raises(InputError, match="searches: List should have at most 1000 items"):
        replay(predictions=str(tmp_path / "p.jsonl"))


def test_log_with_too_many_values_or_searches_is_truncated_with_notices(
    tmp_path: Path,
) -> None:
    scores = {"wide": m.scored({f"k{n}": 0.5 for n in range(60_000)})}
    search = {"tool": "s", "query": "q", "chunk_ids": [1], "scores": [], "loop": 1}
    samples = [m.sample(n, scores, store=m.trace(searches=[search] * 1_001)) for n in range(2)]
    results = frames(m.write(tmp_path, m.log(samples)))
    notices = " ".join(notice.text for notice in results.notices)
    assert "wide has more than 200 values of a score; 59,800 are left out" in notices
    assert "searches after the first 1000" in notices
    assert results.scores["measure"].nunique() == 200
    assert [len(searches) for searches in results.answers["searches"]] == [1_000, 1_000]


def whole_range(path: Path, *first: str) -> Path:
    """Write a workbook with one row of text and one cell in Excel's last row and column."""
    book = openpyxl.Workbook()
    for column, value in enumerate(first, start=1):
        book.active.cell(1, column, value)
    book.active.cell(1_048_576, 16_384, "end")
    book.save(path)
    return path


def test_workbook_over_whole_cell_range_is_read_up_to_cell_limit(tmp_path: Path) -> None:
    path = whole_range(tmp_path / "a.xlsx", "Net sales", "were 4,125 in the first quarter")
    text, left_out, *_ = read_text(path)
    assert "Net sales | were 4,125 in the first quarter" in text and "end" not in text
    assert left_out == "the cells after the first 200,000"


def test_review_sheet_over_whole_cell_range_is_rejected(tmp_path: Path) -> None:
    path = whole_range(tmp_path / "a.xlsx", "drawn", "system", "id", "epoch", "geval_coverage")
    with pytest.raises(ValueError, match="has more than 200,000 cells"):
        read_review_sheet(str(path))


SERVER = """
import json, sys, time

KIND = sys.argv[1]
for line in sys.stdin:
    request = json.loads(line)
    method, result = request["method"], {}
    if KIND == method:
        time.sleep(600)
    if KIND == "dies in " + method:
        sys.exit("no licence")
    if method == "initialize":
        version = request["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}}
        result["serverInfo"] = {"name": "s", "version": "1"}
    elif method == "tools/list":
        count = 1_000 if KIND == "many tools" else 1
        tool = {"description": "d", "inputSchema": {"type": "object", "properties": {}}}
        result["tools"] = [{"name": f"find{n or ''}", **tool} for n in range(count)]
    elif method == "tools/call":
        text = "word " * (40_000 if KIND == "big result" else 1)
        result["content"] = [{"type": "text", "text": text}]
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""

SERVERS = {
    "initialize": "lists no tools (gave no answer within 0.5 s)",
    "tools/list": "lists no tools (gave no answer within 0.5 s)",
    "tools/call": "find gave no answer within 1 s.",
    "dies in initialize": "lists no tools (",
    "dies in tools/call": "Connection closed",
    "many tools": "has more than 64 tools",
    "big result": "Only the first 100,000 characters of the result are used.",
}
"""Behaviour of a server and the expected message of the sample."""


@pytest.mark.parametrize("kind", SERVERS)
def test_mcp_server_is_bounded_in_time_and_size(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    pytest.importorskip("mcp")
    if "within 0.5 s" in SERVERS[kind]:
        monkeypatch.setattr(mcp, "CONNECT_SECONDS", 0.5)
    (tmp_path / "server.py").write_text(SERVER)
    command = f"{sys.executable} {tmp_path}/server.py '{kind}'"
    script = Script(("find", {}), "Done.")
    timeout = 1 if kind == "tools/call" else 30
    log = summarized(
        corpus.path, scripted(script), system_args={"mcp": command, "timeout": timeout}
    )
    conversation = script.asked[-1] if script.asked else []
    results = [message for message in conversation if message.role == "tool"]
    replies = [result.error.message if result.error else result.text for result in results]
    reply = log.error.message if log.error else replies[0]
    assert SERVERS[kind] in reply, reply[-500:]
    if log.error:
        assert len(reply.splitlines()) == 1 and len(reply) < 1_000
    else:
        assert len(reply) < 101_000
