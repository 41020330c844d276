"""Tests of reading chunks as summaries by a separate model, at the system's cost."""

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.solvers import arag
from tests.scripted import Script, scripted, summarized, trace_of

TOOLS = "semantic_search,chunk_summarize,chunk_read"


@pytest.fixture(scope="module")
def agent_run(corpus: Corpus) -> tuple[EvalLog, Script, Script]:
    short = Script(
        "In short: sales rose.", usage={"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    )
    script = Script(
        ("chunk_summarize", {"chunk_ids": [0, 1], "focus": "margins"}),
        ("chunk_read", {"chunk_ids": [1]}),
        ("chunk_summarize", {"chunk_ids": [1, 999999]}),
        ("chunk_summarize", {"chunk_ids": [1]}),
        "Done.",
    )
    roles = {"summarizer": get_model("mockllm/model", custom_outputs=short)}
    arguments = {"tools": TOOLS}
    log = summarized(corpus.path, scripted(script), system_args=arguments, model_roles=roles)
    return log, script, short


def test_chunk_summarize_shows_short_form_to_agent(
    agent_run: tuple[EvalLog, Script, Script], corpus: Corpus
) -> None:
    log, script, short = agent_run
    assert log.status == "success"
    tool_result = script.asked[1][-1].text
    prefix = corpus.chunk(0).prefix
    count = len(corpus.document_chunks([corpus.chunk(0).doc_id]))
    opening = f'<passage chunk_id="0" source="{prefix}" part="1/{count}" form="summary">'
    assert f"{opening}\nIn short: sales rose.\n</passage>" in tool_result
    assert corpus.chunk(0).text not in tool_result
    system, request = short.asked[0]
    assert "in about 100 words" in system.text and "Keep above all: margins" in system.text
    assert corpus.chunk(0).text[:200] in request.text
    assert short.configs[0].temperature == 0 and short.configs[0].max_tokens == 300


def test_summarized_chunk_counts_as_read_and_can_be_read_in_full(
    agent_run: tuple[EvalLog, Script, Script], corpus: Corpus
) -> None:
    log, script, _ = agent_run
    assert corpus.chunk(1).text in script.asked[2][-1].text
    trace = trace_of(log)
    assert [(one.chunk_id, one.how, one.loop) for one in trace.passages] == [
        (0, "summarized", 1),
        (1, "read", 1),
    ]
    assert trace.passages[0].text == corpus.chunk(0).text
    assert "no chunk has id 999999" in str(script.asked[3][-1])
    assert script.asked[4][-1].text == "Already read in full, see above: 1."


def test_summarizer_tokens_count_towards_system(agent_run: tuple[EvalLog, Script, Script]) -> None:
    log, script, short = agent_run
    trace = trace_of(log)
    assert len(short.asked) == 2
    assert trace.input_tokens == 100 * len(script.asked) + 7 * 2
    assert trace.output_tokens == 10 * len(script.asked) + 3 * 2


def test_chunk_summarize_is_offered_when_selected_and_listed_in_error(
    agent_run: tuple[EvalLog, Script, Script],
) -> None:
    assert agent_run[1].tools[0] == ["semantic_search", "chunk_summarize", "chunk_read"]
    with pytest.raises(
        InputError, match="tool 'chunk_eat' is unknown; choose from .*chunk_summarize"
    ):
        arag(tools="chunk_eat")
