"""The agent over the tools of an MCP server."""

import sys
from pathlib import Path

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.solvers import arag
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.scripted import Script, run, scripted

SERVER = """
import sys
import pyarrow.parquet as pq
from mcp.server.mcpserver import MCPServer

texts = pq.read_table(sys.argv[1])["text"].to_pylist()
server = MCPServer("library")

@server.tool()
def look_up(word: str) -> str:
    "Find a passage that holds a word."
    return next(text for text in texts if word in text.lower())

server.run("stdio")
"""


@pytest.mark.usefixtures("logs")
def test_agent_reads_through_the_tools_of_a_server(
    synthetic_folder: Path, corpus: Corpus, tmp_path: Path
) -> None:
    pytest.importorskip("mcp.server.mcpserver")
    (tmp_path / "server.py").write_text(SERVER)
    script = Script(("look_up", {"word": "guidance"}), "Guidance was raised.")
    task = earnings_synthetic(
        corpus=str(synthetic_folder),
        scorers="retrieval_pr",
        system_args={
            "mcp": f"{sys.executable} {tmp_path}/server.py {synthetic_folder}/chunks.parquet"
        },
    )
    log = run(task, scripted(script), limit=1)
    assert log.status == "success" and log.samples, log.error
    trace = log.samples[0].store_as(RetrievalTrace)
    assert script.tools[0] == ["look_up"]
    assert trace.passages and trace.passages[0].chunk_id >= 0
    assert "guidance" in corpus.chunk(trace.passages[0].chunk_id).text.lower()
    assert trace.loops == 2 and trace.passages[0].loop == 1


def test_address_with_a_password_is_refused() -> None:
    with pytest.raises(InputError, match="must not hold a user name or password"):
        arag(mcp="http://user:secret@host/mcp")
