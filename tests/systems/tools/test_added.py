"""Tests of user-defined tools in the A-RAG agent."""

from pathlib import Path

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.solvers import arag
from tests.scripted import Script, scripted, summarized, trace_of

EXAMPLE = Path(__file__).parents[3] / "examples" / "own_tool.py"
INSPECT_TOOL = '''
from inspect_ai.tool import Tool, tool
from arag_inspect.corpus import Corpus

@tool
def find_outlook(corpus: str) -> Tool:
    async def execute(metric: str, lines: int = 1) -> str:
        """Find what management expects of a metric.

        Args:
            metric: Name of the metric.
            lines: How many results.
        """
        opened = await Corpus.open_async(corpus)
        hits = await opened.keyword_search([metric, "expect"], lines)
        return opened.chunk(hits[0].chunk_id).text[:400]

    return execute
'''


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize("source", [EXAMPLE.read_text(), INSPECT_TOOL], ids=["function", "Inspect"])
def test_added_tool_results_count_as_retrieved(
    source: str, synthetic_folder: Path, corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "tools.py").write_text(source)
    call = ("find_outlook", {"metric": "revenue"})
    script = Script(call, ("chunk_read", {"chunk_ids": [0]}), "Guidance was raised.")
    tools = ["chunk_read", f"{tmp_path}/tools.py:find_outlook"]
    log = summarized(synthetic_folder, scripted(script), system_args={"tools": tools})
    assert log.status == "success", log.error
    assert script.tools[0] == ["chunk_read", "find_outlook"]
    trace = trace_of(log)
    (search,) = trace.searches
    assert (search.tool, search.loop) == ("find_outlook", 1)
    assert search.query == '{"metric": "revenue"}'
    first = trace.passages[0]
    assert (
        first.chunk_id == search.chunk_ids[0]
        and first.text[:60] in corpus.chunk(first.chunk_id).text
    )
    assert first.how == ("read" if source != INSPECT_TOOL else "summarized")
    assert trace.passages[-1].chunk_id == 0 and trace.passages[-1].how == "read"
    assert log.results and log.results.scores[0].metrics  # recall and precision rely on them


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("nowhere.py:find", "tool nowhere.py:find cannot be imported"),
        ("json:nothing", "tool json:nothing: json has no function 'nothing'"),
        ("find", "tool 'find'"),
    ],
)
def test_arag_rejects_unusable_added_tool(tool: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        arag(tools=[tool])
