"""Tests of user systems, one per integration, compared with A-RAG in one report."""

import json
import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog

from arag_inspect.corpus import Corpus
from arag_inspect.report import frames, make_report
from arag_inspect.report.comparison.means import mean_of_measure
from arag_inspect.report.findings.provenance import rule_notices
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.report.table import escape
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import samples_of
from tests.serving import running

EXAMPLES = Path(__file__).parents[2] / "examples"

FUNCTION = """
async def ask(question, corpus):
    hits = await corpus.semantic_search(question, 3)
    passages = [hit.chunk_id for hit in hits]
    return {"text": corpus.chunk(passages[0]).text[:300], "passages": passages}
"""


@contextmanager
def library(corpus: Corpus) -> Iterator[str]:
    """A custom retriever as an MCP server."""
    mcpserver = pytest.importorskip("mcp.server.mcpserver")
    server = mcpserver.MCPServer("library", log_level="ERROR")

    @server.tool()  # type: ignore[untyped-decorator]
    async def semantic_search(query: str) -> str:
        "Find passages about a topic."
        chunks = [corpus.chunk(hit.chunk_id) for hit in await corpus.semantic_search(query, 3)]
        return json.dumps([{"chunk_id": one.chunk_id, "text": one.text[:900]} for one in chunks])

    with running(server.streamable_http_app()) as url:
        yield f"{url}/mcp"


@pytest.mark.usefixtures("logs")
def test_external_systems_of_every_kind_are_reported_beside_arag(
    synthetic_folder: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("fastapi", "langchain", "langchain_openai"):
        pytest.importorskip(package)
    monkeypatch.setenv("RAG_CORPUS", str(synthetic_folder))
    service = EXAMPLES / "rag_service.py"
    assert len([line for line in service.read_text().splitlines() if line.strip()]) <= 15
    Path("system.py").write_text(FUNCTION)
    with running(runpy.run_path(str(service))["app"]) as url, library(corpus) as mcp:
        ways: list[tuple[str, dict[str, Any]]] = [
            ("arag", {}),
            ("arag", {"mcp": mcp}),
            ("external", {"target": f"{url}/ask"}),
            ("external", {"target": "system.py:ask"}),
            ("external", {"target": f"{EXAMPLES}/langchain_agent.py:ask", "bridge": True}),
        ]
        system_tasks = [
            earnings_synthetic(
                corpus=str(synthetic_folder),
                system=system,
                system_args=arguments,
                scorers="retrieval_pr,rouge,efficiency",
            )
            for system, arguments in ways
        ]
        logs_found = eval(system_tasks, model="offline/extractive", limit=1, display="none")
    for log in logs_found:
        check_trace(log, corpus)
    report = make_report(frames(log.location for log in logs_found))
    (one,) = report.studies
    assert len(one.study.systems) == len(ways)
    assert {run.solver for run in one.study.rows} == {"arag", "external"}
    for run in one.study.rows:
        (log,) = [log for log in logs_found if log.eval.eval_id == run.eval_id]
        measured = mean_of_measure(one.study, run.system, "retrieval_pr.recall")
        assert measured and measured.mean == pytest.approx(recall(log))
    (by_rule,) = rule_notices(one.study.rows)  # only A-RAG and the bridged agent called the model
    assert by_rule.count("chain_agent.py:ask") == 1 and "system.py:ask" not in by_rule
    text = to_markdown(report)
    assert all(escape(name) in text for name in one.study.systems)


def check_trace(log: EvalLog, corpus: Corpus) -> None:
    """Check that passages read are chunks of the corpus, matched by id if given, else by text."""
    assert log.status == "success" and log.samples, log.error
    for sample in log.samples:
        trace = sample.store_as(RetrievalTrace)
        assert sample.output.completion and trace.passages and trace.loops
        for passage in trace.passages:
            chunk_read = corpus.chunk(passage.chunk_id)
            assert passage.text.split()[:20] == chunk_read.text.split()[:20]


def recall(log: EvalLog) -> float:
    """Return the mean share of gold chunks read over samples."""
    shares = []
    for sample in samples_of(log):
        gold = set(sample.metadata["gold_chunk_ids"])
        ids_read = {passage.chunk_id for passage in sample.store_as(RetrievalTrace).passages}
        shares.append(len(gold & ids_read) / len(gold))
    return sum(shares) / len(shares)
