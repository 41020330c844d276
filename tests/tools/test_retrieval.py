"""Retrievers: dense, by words, and both."""

from pathlib import Path

import anyio
import pytest
from inspect_ai import eval

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.report import make_report, read_runs
from arag_inspect.solvers import naive_rag
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.tools import semantic_search
from arag_inspect.tools.retrieval import Retriever, retrieve
from arag_inspect.types.trace import RetrievalTrace


def found(corpus: Corpus, query: str, retriever: Retriever, top_k: int = 5) -> list[int]:
    hits = anyio.run(retrieve, corpus, query, top_k, None, retriever)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.chunk_id for hit in hits]


def test_bm25_finds_what_holds_rare_words_and_nothing_without_any(corpus: Corpus) -> None:
    target = corpus.chunk(len(corpus) - 1)
    company, period = target.company.lower(), target.period.replace("_", " ")
    best = corpus.chunk(found(corpus, f"{company} {period}", "bm25")[0])
    assert (best.company, best.period) == (target.company, target.period)
    assert found(corpus, "zyzzyva of the", "bm25") == []


def test_bm25_keeps_to_the_documents_asked_for(corpus: Corpus) -> None:
    doc_id = corpus.doc_ids[-1]
    allowed = corpus.filter(doc_ids=[doc_id])
    hits = anyio.run(retrieve, corpus, "revenue outlook", 5, allowed, "bm25")
    assert hits and {corpus.chunk(hit.chunk_id).doc_id for hit in hits} == {doc_id}


def test_hybrid_adds_the_reciprocal_ranks(corpus: Corpus) -> None:
    query = "guidance for the full year"
    rankings = [found(corpus, query, "dense", 50), found(corpus, query, "bm25", 50)]
    expected = {
        chunk: sum(1 / (61 + ranking.index(chunk)) for ranking in rankings if chunk in ranking)
        for chunk in {*rankings[0], *rankings[1]}
    }
    hits = anyio.run(retrieve, corpus, query, 5, None, "hybrid")
    assert {hit.chunk_id: hit.score for hit in hits} == pytest.approx(
        {hit.chunk_id: expected[hit.chunk_id] for hit in hits}
    )
    assert min(hit.score for hit in hits) >= sorted(expected.values())[-5] - 1e-9


@pytest.mark.usefixtures("logs")
def test_each_retriever_is_a_system_of_its_own(synthetic_folder: Path) -> None:
    tasks = [
        earnings_synthetic(corpus=str(synthetic_folder), scorers="retrieval_pr", system=system)
        for system in ("naive_rag", "naive_rag_bm25", "naive_rag_hybrid")
    ]
    logs = eval(tasks, model="offline/extractive", limit=2, display="none")
    assert [log.status for log in logs] == ["success"] * 3
    tools = [
        log.samples[0].store_as(RetrievalTrace).searches[0].tool for log in logs if log.samples
    ]
    assert tools == ["semantic_search", "bm25_search", "hybrid_search"]
    (benchmark,) = make_report(read_runs([log.location for log in logs])).benchmarks
    systems = benchmark.benchmark.systems
    assert len(set(systems)) == 3 and any("bm25" in system for system in systems), systems
    assert not any("None" in system or "#" in system for system in systems), systems


def test_unknown_retriever_is_refused() -> None:
    with pytest.raises(InputError, match="retriever 'magic' is unknown; choose from dense, bm25"):
        naive_rag(retriever="magic")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="retriever 'magic' is unknown"):
        semantic_search(corpus="any", retriever="magic")  # type: ignore[arg-type]
