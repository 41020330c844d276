"""Tests that all stores return the same chunks and the same correct search results."""

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import duckdb
import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import (
    Chunk,
    Corpus,
    Document,
    Hit,
    Indexing,
    KeywordPage,
    Provenance,
    Section,
    build_corpus,
    embedding_model,
)
from arag_inspect.corpus.stores.lance import indices, sentence_batch, store, write_dataset
from arag_inspect.corpus.stores.lance.indices import best_by_scan
from arag_inspect.corpus.stores.lance.store import best_chunks
from arag_inspect.corpus.stores.lance.write import convert_to_lance
from arag_inspect.run.serve_corpus import search_app
from arag_inspect.text.folding import fold, fold_keyword
from arag_inspect.text.sentences import Span
from tests.commands import call
from tests.logs import samples_of
from tests.scripted import scores, summarized
from tests.serving import running

TEXTS = (
    "Revenue was $1.2 million, up 3%. It's the 'best' quarter; 100%_sure. aaaa aaa aa a.",
    "The wk 12 report: free  cash flow (FCF) of \\$5 or C:\\x. Über-İstanbul straße ǅ. wk wk wk",
    "abababab ab. naïve café 東京 🙂🙂🙂 \u00a0nbsp. -- ;DROP TABLE x; \"quoted\" % _ ' '' .",
)


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Chunks whose texts are hard to search."""
    documents = [
        Document(f"doc {place}", "O'Neill", "Q1", (Section("", text, f"[NAME: {place}]"),))
        for place, text in enumerate(TEXTS * 2)
    ]
    folder = tmp_path_factory.mktemp("odd") / "local"
    build_corpus(documents, folder, Provenance("odd"), Indexing(chunk_tokens=32))
    return folder


@pytest.fixture(scope="session")
def lance_folder(synthetic_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The synthetic corpus, converted by the command."""
    out = tmp_path_factory.mktemp("lance") / "corpus"
    printed = call(f"corpus convert {synthetic_folder} --store lance --out {out}").output
    assert "Recall@5 against exact search: 1.000" in printed
    return out


@pytest.fixture(scope="session")
def service(lance_folder: Path) -> Iterator[str]:
    """Address of a service for the Lance corpus."""
    with running(search_app(str(lance_folder))) as address:
        yield address


@pytest.fixture(params=["synthetic_folder", "lance_folder", "service"])
def opened(request: pytest.FixtureRequest) -> Corpus:
    return Corpus.open(request.getfixturevalue(request.param))


def test_store_returns_chunks_by_id_and_document(opened: Corpus, corpus: Corpus) -> None:
    listed = [opened.chunk(place) for place in range(len(opened))]
    assert [chunk.chunk_id for chunk in listed] == list(range(len(corpus))) and len(listed) > 50
    assert listed == [corpus.chunk(place) for place in range(len(corpus))]
    assert all(chunk.text[a:b].strip() for chunk in listed for a, b in chunk.sentences)
    allowed = opened.filter(company=listed[-1].company)
    allowed_ids = [chunk.chunk_id for chunk in listed if allowed.allows(chunk)]
    assert opened.chunk_ids(allowed).tolist() == allowed_ids
    assert opened.doc_ids == list(dict.fromkeys(chunk.doc_id for chunk in listed))
    two = [opened.doc_ids[2], opened.doc_ids[0]]
    assert opened.document_chunks(two) == [
        chunk for name in two for chunk in listed if chunk.doc_id == name
    ]
    with pytest.raises(KeyError):
        opened.chunk(len(opened))
    with pytest.raises(InputError, match="has no document 'x'"):
        opened.document_chunks(["x"])


def _part(corpus: Corpus, name: str) -> dict[str, Any]:
    chunk = corpus.chunk(len(corpus) - 1)
    parts: dict[str, dict[str, Any]] = {
        "all": {},
        "documents": {"doc_ids": [corpus.doc_ids[0], chunk.doc_id]},
        "company": {"company": chunk.company},
        "period": {"period": chunk.period},
        "none": {"doc_ids": []},
    }
    return parts[name]


QUERY = "guidance for full year revenue and operating margin"
"""Enough words that no two chunks are equally similar."""


@pytest.mark.parametrize("name", ["all", "documents", "company", "period", "none"])
@pytest.mark.parametrize("exact", [False, True])
def test_semantic_search_is_max_pooled_cosine(
    opened: Corpus, synthetic_folder: Path, name: str, exact: bool
) -> None:
    flat = faiss.read_index(str(synthetic_folder / "sentences.faiss"))
    vectors = flat.reconstruct_n(0, flat.ntotal)
    embedding = opened.manifest.embedding
    query = embedding_model(embedding.model, embedding.dtype).encode([QUERY])[0]
    cosines = iter((vectors @ query).tolist())
    chunks = [opened.chunk(place) for place in range(len(opened))]
    allowed = opened.filter(**_part(opened, name))
    scored = {c.chunk_id: max(next(cosines) for _ in c.sentences) for c in chunks}
    allowed_ids = [c.chunk_id for c in chunks if allowed.allows(c)]
    expected = sorted(allowed_ids, key=lambda place: (-scored[place], place))[:9]
    hits = anyio.run(partial(opened.semantic_search, exact=exact), QUERY, 9, allowed)
    assert [hit.chunk_id for hit in hits] == expected
    assert [hit.score for hit in hits] == pytest.approx([scored[i] for i in expected], abs=1e-5)
    assert all(1 <= len(hit.sentences) <= 3 for hit in hits)


def _keywords(folder: Path) -> st.SearchStrategy[list[str]]:
    """Generate parts of the texts and other strings, alone and combined."""
    corpus = Corpus.open(folder)
    texts = [f"{c.prefix} {c.text}" for c in map(corpus.chunk, range(len(corpus)))]
    length = max(map(len, texts))
    piece = st.builds(
        lambda text, start, size: text[start % len(text) :][:size],
        st.sampled_from(texts),
        st.integers(0, length),
        st.integers(1, 12),
    )
    other = st.text(st.sampled_from("ab wk'\\%_$1é東🙂\n"), min_size=1, max_size=5)
    return st.lists(piece | other | st.sampled_from(["", " ", "a", "aa", "wk ", "''"]), max_size=3)


@pytest.fixture(scope="session")
def odd_service(odd: Path) -> Iterator[str]:
    with running(search_app(str(odd))) as address:
        yield address


def test_keyword_scores_equal_str_count_in_all_stores_and_duckdb(
    odd: Path, odd_service: str
) -> None:
    convert_to_lance(odd, str(odd.with_name("lance")), command="")
    corpora = [Corpus.open(place) for place in (odd, odd.with_name("lance"), odd_service)]
    chunks = [corpora[0].chunk(place) for place in range(len(corpora[0]))]
    lowered = [fold(f"{chunk.prefix} {chunk.text}") for chunk in chunks]
    table = duckdb.connect()
    table.execute("create table t (id int, lower text)")
    table.executemany("insert into t values (?, ?)", list(enumerate(lowered)))

    @given(_keywords(odd), st.integers(1, 20), st.booleans())
    @settings(max_examples=60, derandomize=True)
    def check(keywords: list[str], top_k: int, part: bool) -> None:
        documents = ["doc 0", "doc 4"] if part else None
        words = list(map(fold_keyword, keywords))
        expected = {
            place: sum(text.count(word) * len(word) for word in filter(None, words))
            for place, text in enumerate(lowered)
            if documents is None or chunks[place].doc_id in documents
        }
        page = _page(words, expected, lowered)
        for corpus in corpora:
            allowed = corpus.filter(doc_ids=documents)
            hits = anyio.run(corpus.keyword_search, keywords, top_k, allowed)
            assert hits == page.hits[:top_k]
            part_of_page = page._replace(hits=page.hits[1:3])
            assert anyio.run(corpus.keyword_page, keywords, 2, 1, allowed) == part_of_page
        for word in filter(None, words):
            sql = "select length(lower) - length(replace(lower, ?, '')) from t order by id"
            counted = [row[0] for row in table.execute(sql, [word]).fetchall()]
            assert counted == [text.count(word) * len(word) for text in lowered]

    check()


def _page(words: list[str], scores: dict[int, int], lowered: list[str]) -> KeywordPage:
    """Return the chunks that are right to find, and their number."""
    scored = [place for place, score in scores.items() if score]
    holding = {place for place in scored if all(word in lowered[place] for word in words)}
    best = sorted(scored, key=lambda place: (-scores[place], place not in holding, place))
    return KeywordPage([Hit(p, float(scores[p])) for p in best], len(holding), len(scored))


def test_common_keyword_search_is_limited_to_first_chunks(
    lance_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "COMMON", 5)
    corpus = Corpus.open(lance_folder)
    chunks = [corpus.chunk(place) for place in range(len(corpus))]
    lowered = [f"{chunk.prefix} {chunk.text}".lower() for chunk in chunks]
    holding = [place for place, text in enumerate(lowered) if "the " in text]
    rare = chunks[-1].text[-60:].lower()
    assert len(holding) > 20 and 0 < sum(rare in text for text in lowered) < 5
    page = anyio.run(corpus.keyword_page, ["the "], 1000)
    assert (page.hold_any, page.complete) == (5, False)
    alone = anyio.run(corpus.keyword_search, ["the "], 1000)
    assert sorted(hit.chunk_id for hit in alone) == holding[:5]
    both = {h.chunk_id: h.score for h in anyio.run(corpus.keyword_search, ["the ", rare], 1000)}
    assert set(both) == {*holding[:5], *(i for i, text in enumerate(lowered) if rare in text)}
    for place, score in both.items():
        assert score == sum(lowered[place].count(word) * len(word) for word in ("the ", rare))


def test_batch_scan_matches_individual_searches(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    count = 20_000  # more than one Lance batch, with chunks that span two
    vectors = random.standard_normal((count, 4), np.float32)
    chunks = [
        Chunk(number, "", "", "", "", "", "", 1, (Span(0, 0),) * min(7, count - 7 * number))
        for number in range(-(-count // 7))
    ]
    batch = sentence_batch(chunks, vectors)
    sentences = write_dataset(str(tmp_path / "sentences"), iter([batch]), batch.schema)
    queries = vectors[[0, 8190, 8192, -1]] + 0.1
    expected = [{h.chunk_id for h in best_chunks(sentences, q, 5, None)[0]} for q in queries]
    found = best_by_scan(sentences, queries, 5)
    assert [set(best) for best in found] == expected
    by_hand = [np.maximum.reduceat(vectors @ q, range(0, count, 7)).argsort()[-5:] for q in queries]
    assert expected == [set(best.tolist()) for best in by_hand]


def test_vector_index_reaches_recorded_recall(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indices, "UNINDEXED", 1000)
    manifest = convert_to_lance(synthetic_folder, str(tmp_path / "indexed"), command="")
    assert manifest.lance is not None and manifest.lance.index == "IVF_RQ"
    assert manifest.lance.nprobes and 0.99 <= manifest.lance.recall_at_5 <= 1
    corpus = Corpus.open(tmp_path / "indexed")
    questions = ["outlook for the year", "margin of the segment", "cost of raw material", "debt"]
    shares = []
    for question in questions:
        default = anyio.run(corpus.semantic_search, question, 5)
        exact = anyio.run(partial(corpus.semantic_search, exact=True), question, 5)
        assert len(default) == len(exact) == 5
        lowest_score = min(hit.score for hit in exact) - 1e-3  # equal scores are interchangeable
        shares.append(np.mean([hit.score >= lowest_score for hit in default]))
    assert np.mean(shares) >= 0.8  # of four questions; the index is trained randomly
    company = corpus.filter(company=corpus.chunk(0).company)
    assert len(anyio.run(corpus.semantic_search, "debt", 30, company)) == 30


def test_systems_give_same_answers_from_local_and_lance_stores(
    synthetic_folder: Path, lance_folder: Path, logs: Path
) -> None:
    def answers(folder: Path) -> Any:
        log = summarized(folder, "offline/extractive", limit=2)
        assert log.status == "success" and log.eval.metadata, log.error
        outputs = [sample.output.completion for sample in samples_of(log)]
        return log.eval.metadata["corpus"]["chunks_sha256"], outputs, scores(log, "retrieval_pr")

    first = answers(synthetic_folder)
    assert first == answers(lance_folder) and first[0] and all(first[1])


def _open_error(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        Corpus.open(folder)
    return str(caught.value)


def _edit(folder: Path, change: Callable[[str], str]) -> None:
    path = folder / "manifest.json"
    path.write_text(change(path.read_text("utf-8")), "utf-8")


@pytest.fixture
def lance_copy(lance_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(lance_folder, tmp_path / "copy"))


def test_open_rejects_newer_lance_format_version(lance_copy: Path) -> None:
    newer = {
        '"lance": {': '"lance": {"later": 1, "format_version": 3,\n',
        'version": 2,\n    "f': 'version": 3,\n    "f',
    }
    for old, new in newer.items():
        _edit(lance_copy, lambda text: text.replace(old, new))  # noqa: B023
    message = "format version 3 of Lance data, this package reads 2; update it"
    assert message in _open_error(lance_copy)


def test_open_reports_missing_and_damaged_lance_data(lance_copy: Path) -> None:
    _edit(lance_copy, lambda text: text.replace('"chunks": ', '"chunks": 9'))
    assert "do not match (there are" in _open_error(lance_copy)
    (data,) = lance_copy.glob("data-*")
    shutil.rmtree(data / "sentences.lance")
    message = _open_error(lance_copy)
    assert "sentences.lance" in message and "\n" not in message


def test_open_reader_keeps_version_after_corpus_is_replaced(odd: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    convert_to_lance(odd, str(out), command="")
    reader = Corpus.open(out)
    before = [reader.chunk(place).text for place in range(2)]
    other = tmp_path / "other"
    build_corpus(
        [Document("new", "", "", (Section("", "Wholly new text.", ""),))], other, Provenance("odd")
    )
    convert_to_lance(other, str(out), command="")
    assert len(Corpus.open(out)) == 1 and Corpus.open(out).chunk(0).text == "Wholly new text."
    assert [reader.chunk(place).text for place in range(len(reader))][:2] == before
    assert anyio.run(reader.keyword_search, ["$1.2 million"], 5)
    assert not anyio.run(Corpus.open(out).keyword_search, ["$1.2 million"], 5)


def test_failed_conversion_leaves_corpus_unchanged(
    odd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(odd, tmp_path / "corpus"))
    contents = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("arag_inspect.corpus.stores.lance.write.build_indices", full)
    with pytest.raises(InputError, match="free space on the disk"):
        convert_to_lance(folder, str(folder), command="")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == contents
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["corpus"]


def test_prepare_writes_lance_store_directly(recorded_calls: Path, tmp_path: Path) -> None:
    out = tmp_path / "calls"
    for line, result in (
        (f"ectsum --split val --source {recorded_calls} --store lance --out {out}", "Prepared"),
        (f"facts {out}", "facts"),
    ):
        assert result in call(f"prepare {line}").output
        corpus = Corpus.open(out)
        assert corpus.manifest.lance and len(corpus.doc_ids) == 3
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["calls"]
