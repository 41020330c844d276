"""Tests of adding questions to a prepared corpus, reusing its chunks and vectors."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.corpus import (
    Corpus,
    Document,
    Indexing,
    PageStart,
    Provenance,
    Section,
    build_corpus,
)
from arag_inspect.corpus.prepared import builder
from arag_inspect.corpus.stores.lance.write import convert_to_lance

TEXT = "Sales rose to $4 million. Costs fell by 2 %. " * 9


@pytest.fixture(scope="module")
def paged_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with pages, in chunks of 64 tokens."""
    folder = tmp_path_factory.mktemp("made") / "corpus"
    documents = [
        Document(name, "Acme", "", (Section("", TEXT, "", pages=(PageStart(0, 2),)),))
        for name in ("a", "b")
    ]
    build_corpus(documents, folder, Provenance("x"), Indexing(chunk_tokens=64))
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.csv"
    path.write_text(
        "id,question,answer,evidence,doc_ids\n1,How are sales?,$4 million,Sales rose,b\n"
    )
    return path


def prepare(corpus: Path, questions: Path, **options: Any) -> Corpus:
    out = questions.parent / "mine"
    prepare_options = Options(out=out, **options)
    prepare_dataset("custom", corpus=str(corpus), questions=questions, options=prepare_options)
    return Corpus.open(out)


@pytest.fixture
def no_embedding(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> None:
        raise AssertionError("embedded again")

    monkeypatch.setattr(builder, "embedding_model", refuse)


@pytest.mark.usefixtures("no_embedding")
@pytest.mark.parametrize("store", ["local", "lance"])
def test_prepare_reuses_chunks_and_vectors_of_corpus(
    store: str, paged_corpus: Path, questions: Path
) -> None:
    source = paged_corpus
    if store == "lance":
        source = questions.parent / "lance"
        convert_to_lance(paged_corpus, str(source), command="")
    mine, first = prepare(source, questions, store=store), Corpus.open(paged_corpus)
    assert [mine.chunk(n) for n in range(len(first))] == [first.chunk(n) for n in range(len(first))]
    assert mine.chunk(0).first_page == 2
    hits = [anyio.run(corpus.semantic_search, "How are sales?", 3) for corpus in (mine, first)]
    assert [(one.chunk_id, pytest.approx(one.score, abs=1e-5)) for one in hits[0]] == [
        (one.chunk_id, one.score) for one in hits[1]
    ]
    assert mine.manifest.counts["samples"] == 1 and mine.manifest.dataset == "custom"
    assert '"doc_ids": ["b"]' in (mine.path / "samples.jsonl").read_text()
    reprepared = prepare(mine.path, questions, store=store)  # reuses itself in place
    assert reprepared.chunk(1) == first.chunk(1)


@pytest.mark.parametrize("other", [{"embed_prefix": False}, {"store": "lance"}])
def test_prepare_builds_corpus_anew_when_settings_differ(
    other: dict[str, Any], paged_corpus: Path, questions: Path
) -> None:
    mine = prepare(paged_corpus, questions, **other)
    assert [mine.chunk(n).text for n in range(len(mine))] == [
        Corpus.open(paged_corpus).chunk(n).text for n in range(len(mine))
    ]
    assert mine.manifest.embedding.prefix_embedded == other.get("embed_prefix", True)


@pytest.mark.usefixtures("no_embedding")
def test_failed_reuse_keeps_old_folder(
    paged_corpus: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = prepare(paged_corpus, questions).path
    before = (mine / "manifest.json").read_bytes()
    damaged = questions.parent / "damaged"
    damaged.mkdir()
    for path in paged_corpus.iterdir():
        (damaged / path.name).write_bytes(path.read_bytes())
    Corpus.open(damaged)
    (damaged / "chunks.jsonl").write_bytes(b"other")  # after the corpus was opened
    with pytest.raises(InputError, match=r"chunks\.jsonl"):
        prepare(damaged, questions)
    assert (mine / "manifest.json").read_bytes() == before
    assert {path.name for path in mine.parent.iterdir() if path.is_dir()} == {"mine", "damaged"}
