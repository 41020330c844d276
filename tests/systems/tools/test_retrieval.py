"""Tests of retrievers: dense, keyword and hybrid."""

from pathlib import Path
from typing import Literal

import anyio
import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.corpus.embedding.models import cross_encoder
from arag_inspect.report import frames, make_report
from arag_inspect.solvers import naive_rag
from arag_inspect.systems.tools.retrieval import Retrieval, Retriever
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.tools import semantic_search
from tests.lazy import torch, transformers
from tests.scripted import summarized, trace_of


def ids_found(corpus: Corpus, query: str, retriever: Retriever, top_k: int = 5) -> list[int]:
    hits = anyio.run(Retrieval(retriever).search, corpus, query, top_k)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.chunk_id for hit in hits]


def test_bm25_finds_rare_words_and_returns_nothing_for_unknown_ones(corpus: Corpus) -> None:
    target = corpus.chunk(len(corpus) - 1)
    company, period = target.company.lower(), target.period.replace("_", " ")
    best = corpus.chunk(ids_found(corpus, f"{company} {period}", "bm25")[0])
    assert (best.company, best.period) == (target.company, target.period)
    assert ids_found(corpus, "zyzzyva of the", "bm25") == []


def test_bm25_is_limited_to_requested_documents(corpus: Corpus) -> None:
    doc_id = corpus.doc_ids[-1]
    allowed = corpus.filter(doc_ids=[doc_id])
    hits = anyio.run(Retrieval("bm25").search, corpus, "revenue outlook", 5, allowed)
    assert hits and {corpus.chunk(hit.chunk_id).doc_id for hit in hits} == {doc_id}


def test_hybrid_adds_reciprocal_ranks(corpus: Corpus) -> None:
    query = "guidance for the full year"
    rankings = [ids_found(corpus, query, "dense", 50), ids_found(corpus, query, "bm25", 50)]
    expected = {
        chunk: sum(1 / (61 + ranking.index(chunk)) for ranking in rankings if chunk in ranking)
        for chunk in {*rankings[0], *rankings[1]}
    }
    hits = anyio.run(Retrieval("hybrid").search, corpus, query, 5)
    assert {hit.chunk_id: hit.score for hit in hits} == pytest.approx(
        {hit.chunk_id: expected[hit.chunk_id] for hit in hits}
    )
    assert min(hit.score for hit in hits) >= sorted(expected.values())[-5] - 1e-9


@pytest.mark.usefixtures("logs")
def test_each_retriever_is_reported_as_own_system(synthetic_folder: Path) -> None:
    tasks = [
        earnings_synthetic(corpus=str(synthetic_folder), scorers="retrieval_pr", system=system)
        for system in ("naive_rag", "naive_rag_bm25", "naive_rag_hybrid")
    ]
    logs = eval(tasks, model="offline/extractive", limit=1, display="none")
    assert [log.status for log in logs] == ["success"] * 3
    tools = [trace_of(log).searches[0].tool for log in logs]
    assert tools == ["semantic_search", "bm25_search", "hybrid_search"]
    (benchmark,) = make_report(frames(log.location for log in logs)).studies
    systems = benchmark.study.systems
    assert len(set(systems)) == 3 and any("bm25" in system for system in systems), systems
    assert not any("None" in system or "#" in system for system in systems), systems


def test_unknown_retriever_is_rejected() -> None:
    with pytest.raises(InputError, match="retriever 'magic' is unknown; choose from dense, bm25"):
        naive_rag(retriever="magic")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="retriever 'magic' is unknown"):
        semantic_search(corpus="any", retriever="magic")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def dividends_first(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cross-encoder that scores a passage by how often it says "dividend"."""
    folder = tmp_path_factory.mktemp("cross-encoder")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "dividend"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=8, max_position_embeddings=512, id2label={0: "fit"},
    )  # fmt: skip
    model = transformers.BertForSequenceClassification(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        # the only layer averages the values of all words; only "dividend" has one
        layer = model.bert.encoder.layer[0]
        model.bert.embeddings.word_embeddings.weight[5] = torch.tensor([1.0, -1.0] * 4)
        for norm in (
            model.bert.embeddings.LayerNorm,
            layer.attention.output.LayerNorm,
            layer.output.LayerNorm,
        ):
            norm.weight.fill_(1)
        layer.attention.self.value.weight.copy_(torch.eye(8))
        layer.attention.output.dense.weight.copy_(torch.eye(8))
        assert model.bert.pooler is not None
        model.bert.pooler.dense.weight.copy_(torch.eye(8))
        model.classifier.weight[0, 0] = 1
    model.save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=512).save_pretrained(
        folder
    )
    return str(folder)


def says_dividend(corpus: Corpus, chunk_id: int) -> bool:
    return "dividend" in corpus.chunk(chunk_id).text.lower()


@pytest.mark.parametrize("retriever", ["dense", "bm25", "hybrid"])
def test_cross_encoder_reorders_retrieved_chunks(
    corpus: Corpus, dividends_first: str, retriever: Retriever
) -> None:
    query = "revenue outlook for the year"
    first = [hit.chunk_id for hit in anyio.run(Retrieval(retriever).search, corpus, query, 50)]
    expected = sorted(first, key=lambda chunk_id: not says_dividend(corpus, chunk_id))
    assert says_dividend(corpus, expected[0]) and expected[:5] != first[:5]
    hits = anyio.run(Retrieval(retriever, dividends_first).search, corpus, query, 5)
    assert [hit.chunk_id for hit in hits] == expected[:5]
    assert hits[0].score > 0.6 and hits[0].score >= hits[-1].score >= 0.5  # the sigmoid of 0
    assert all(hit.sentences for hit in hits) or retriever != "dense"  # as a search shows them


@pytest.mark.usefixtures("logs")
def test_systems_rerank_and_report_unusable_model(
    synthetic_folder: Path, corpus: Corpus, dividends_first: str, tmp_path: Path
) -> None:
    def reranked_run(rerank: str, system: Literal["naive_rag", "arag"] = "naive_rag") -> EvalLog:
        arguments = {"rerank": rerank, "scope": "sample_documents"}
        return summarized(synthetic_folder, "offline/extractive", system, system_args=arguments)

    for system in ("naive_rag", "arag"):
        log = reranked_run(dividends_first, system)
        assert log.status == "success", log.error
        by_meaning = [one for one in trace_of(log).searches if one.tool == "semantic_search"]
        assert by_meaning and all(says_dividend(corpus, one.chunk_ids[0]) for one in by_meaning)
        assert trace_of(log).reranked_in == "float32"
    (tmp_path / "empty").mkdir()
    for name, reason in (
        (str(tmp_path / "empty"), "no *.safetensors weights"),
        ("a/b", "reranking model 'a/b' cannot be loaded"),
    ):
        log = reranked_run(name)
        assert log.status == "error" and log.error and reason in log.error.message
    with pytest.raises(InputError, match="rerank must be the name or folder"):
        naive_rag(rerank=" ")


def test_cross_encoder_rejects_model_with_two_classes(dividends_first: str, tmp_path: Path) -> None:
    two = transformers.BertForSequenceClassification.from_pretrained(
        dividends_first, num_labels=2, ignore_mismatched_sizes=True
    )
    two.save_pretrained(tmp_path)
    transformers.BertTokenizerFast.from_pretrained(dividends_first).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="gives 2 scores for a pair"):
        cross_encoder(str(tmp_path))
