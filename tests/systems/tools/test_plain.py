"""Tests of an agent with plain tools: regular-expression search and neighbouring chunks."""

import re
from typing import Any

import anyio
import pytest
from inspect_ai import eval
from inspect_ai.tool import ToolError

from arag_inspect.corpus import Corpus
from arag_inspect.report import frames, make_report
from arag_inspect.systems.tools import plain
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.tools import grep, read
from arag_inspect.types.trace import RetrievalTrace
from tests.linear import is_linear
from tests.logs import samples_of
from tests.scripted import Script, scripted, summarized, trace_of


def results_and_trace(corpus: Corpus, *calls: Any, **args: Any) -> tuple[list[str], RetrievalTrace]:
    """Return the results of an agent's calls in turn, and its trace."""
    script = Script(*calls, "Done.")
    log = summarized(corpus.path, scripted(script), "grep_agent", system_args=args)
    assert log.status == "success", log.error
    results = [
        message.error.message if message.error else message.text
        for message in script.asked[-1]
        if message.role == "tool"
    ]
    return results, trace_of(log)


@pytest.mark.usefixtures("logs")
def test_grep_agent_finds_lines_and_reads_neighbours(corpus: Corpus) -> None:
    matches = [i for i in range(len(corpus)) if re.search(r"dividend", corpus.chunk(i).text, re.I)]
    (results, trace) = results_and_trace(
        corpus,
        ("grep", {"pattern": "DIVIDENDS?", "around": 0, "top_k": 2}),
        ("read", {"chunk_id": matches[0], "before": 10, "after": "1"}),
        ("read", {"chunk_id": len(corpus)}),
    )
    assert results[0].startswith(f"{len(matches)} chunks match; the first 2 are shown.")
    assert trace.searches[0].chunk_ids == matches[:2] and trace.searches[0].tool == "grep"
    assert "dividend" in results[0].lower() and len(results[0]) < len(corpus.chunk(matches[0]).text)
    ids = [passage.chunk_id for passage in trace.passages]
    doc_id = corpus.chunk(matches[0]).doc_id
    around = range(max(0, matches[0] - 10), min(len(corpus), matches[0] + 2))
    assert ids == [i for i in around if corpus.chunk(i).doc_id == doc_id] and len(ids) > 1
    assert "no chunk has id" in results[2]


@pytest.mark.usefixtures("logs")
def test_grep_agent_is_limited_to_documents_of_sample(corpus: Corpus) -> None:
    (results, trace) = results_and_trace(
        corpus,
        ("grep", {"pattern": ".", "top_k": 20}),
        ("read", {"chunk_id": len(corpus) - 1}),
        scope="sample_documents",
    )
    own = trace.searches[0].chunk_ids
    assert own and len({corpus.chunk(i).doc_id for i in own}) == 1
    assert "is of another document" in results[1] and not trace.passages


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "is not a regular expression of RE2: missing"),
        (r"(a)\1", "is not a regular expression of RE2: invalid escape"),
        ("(?=a)", "is not a regular expression of RE2: invalid perl operator"),
        ("((a{100}){100}){100}", "is not a regular expression of RE2"),
        ("", "must have 1 to 1000 characters"),
        ("a" * 1001, "must have 1 to 1000 characters"),
    ],
)
def test_grep_raises_tool_error_for_unusable_pattern(
    corpus: Corpus, pattern: str, reason: str
) -> None:
    with pytest.raises(ToolError, match=reason):
        anyio.run(grep(corpus=str(corpus.path)), pattern)


def test_grep_matches_nothing_for_lone_surrogate(corpus: Corpus) -> None:
    shown = anyio.run(grep(corpus=str(corpus.path)), "\ud83d")
    assert str(shown).startswith("0 chunks match")


def test_regex_search_takes_linear_time() -> None:
    def search(length: int) -> None:
        assert plain._compile(r"(a+)+$").search("a" * length + "b") is None

    assert is_linear(search, 500_000)


def test_grep_reports_progress_when_time_runs_out(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain, "SECONDS", -1)
    shown = anyio.run(grep(corpus=str(corpus.path)), "revenue")
    assert f"0 of {len(corpus)} chunks searched" in str(shown)


def test_read_returns_fenced_passage(corpus: Corpus) -> None:
    shown = str(anyio.run(read(corpus=str(corpus.path)), 0))
    assert shown.startswith('<passage chunk_id="0"') and shown.endswith("</passage>")


@pytest.mark.usefixtures("logs")
def test_report_compares_six_systems(corpus: Corpus) -> None:
    names: list[str] = ["closed_book", "naive_rag", "arag", "grep_agent", "stuffing", "oracle"]
    tasks = [
        earnings_synthetic(corpus=str(corpus.path), scorers="retrieval_pr,rouge", system=name)
        for name in names
    ]
    logs = eval(tasks, model="offline/extractive", limit=2, display="none")
    assert [log.status for log in logs] == ["success"] * 6
    own = next(log for log in logs if log.eval.task_args["system"] == "grep_agent")
    for sample in samples_of(own):
        trace = sample.store_as(RetrievalTrace)
        assert {passage.doc_id for passage in trace.passages} == {sample.id}
        assert {search.tool for search in trace.searches} == {"grep"}
    (benchmark,) = make_report(frames(log.location for log in logs)).studies
    labels = {"Closed book", "Naive RAG", "A-RAG", "Grep agent", "Stuffing", "Oracle"}
    assert set(benchmark.study.systems) == labels
