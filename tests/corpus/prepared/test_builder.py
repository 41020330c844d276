"""Tests of preparing folders: writes are atomic and damage is reported."""

import hashlib
import json
import re
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import faiss
import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import (
    Corpus,
    Document,
    Extras,
    Indexing,
    Provenance,
    Section,
    build_corpus,
)
from arag_inspect.corpus.embedding.models import DType, EmbeddingModel, embedding_model
from arag_inspect.corpus.embedding.probes import PROBES
from arag_inspect.corpus.prepared import builder as build_module
from arag_inspect.corpus.search.dense_index import new_index, write_index
from tests.tables import tables_beside

TABLES = tables_beside(__file__)


def document(name: str, text: str = "Revenue grew 5% to $4.2 billion. We expect more.") -> Document:
    prefix = f"[COMPANY: {name} | TYPE: EARNINGS_CALL | PERIOD: Q1_2021]"
    return Document(name, name, "Q1_2021", (Section("Prepared Remarks", text, prefix),))


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    build_corpus(
        [document("A"), document("B")],
        folder,
        Provenance("tiny", prepared_by="arag-inspect prepare tiny"),
    )
    return folder


def test_built_folder_matches_documented_format(built: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    assert manifest["counts"] == {"documents": 2, "chunks": 2, "sentences": 4}
    assert manifest["embedding"]["digest"].startswith("53aa51172d142c89")
    assert set(manifest["files"]) == {"chunks.jsonl", "sentences.faiss"}
    chunks = [json.loads(line) for line in (built / "chunks.jsonl").read_bytes().splitlines()]
    assert [c["chunk_id"] for c in chunks] == [0, 1]
    assert {"chunk_id", "doc_id", "section", "prefix", "text", "tokens"} <= set(chunks[0])
    texts = [chunk["text"][start:end] for chunk in chunks for start, end in chunk["sentences"]]
    assert texts == ["Revenue grew 5% to $4.2 billion.", "We expect more."] * 2
    assert sorted(p.name for p in built.parent.iterdir()) == [".tiny.lock", "tiny"]


def test_parts_are_counted_per_period(tmp_path: Path) -> None:
    """An agent that has read 2/2 knows that it has read the whole call."""

    def call(period: str, *texts: str) -> list[Section]:
        prefix = f"[COMPANY: A | PERIOD: {period}]"
        return [Section(f"{period} {text}", text, prefix, period=period) for text in texts]

    sections = (*call("Q2_2021", "Sales rose.", "We expect more."), *call("Q1_2021", "Sales fell."))
    undated = tuple(Section(text, text, "[NOTES]") for text in ("One.", "Two.", "Three."))
    documents = [Document("A", "A", "Q2_2021", sections), Document("B", "", "", undated)]
    build_corpus(documents, tmp_path / "calls", Provenance("calls"))
    opened = Corpus.open(tmp_path / "calls")
    parts = anyio.run(opened.parts, opened.document_chunks(["A", "B"]))
    assert list(parts.values()) == ["1/2", "2/2", "1/1", "1/3", "2/3", "3/3"]


def test_open_returns_cached_corpus_until_rebuilt(built: Path) -> None:
    first = Corpus.open(built)
    assert Corpus.open(str(built)) is first
    build_corpus([document("C")], built, Provenance("tiny"))
    assert Corpus.open(built).doc_ids == ["C"]


@pytest.mark.parametrize(("dtype", "again"), [("float32", "E"), ("bfloat16", "CDE")])
def test_interrupted_build_keeps_old_corpus_and_resumes(
    built: Path, monkeypatch: pytest.MonkeyPatch, dtype: DType, again: str
) -> None:
    monkeypatch.setattr(build_module, "_SENTENCES_PER_STEP", 2)

    def breaking() -> Iterator[Document]:
        yield document("C")
        yield document("D", "Margins fell 20 basis points. We cut costs.")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_corpus(breaking(), built, Provenance("tiny"), Indexing(dtype="float32"))
    assert Corpus.open(built).doc_ids == ["A", "B"]
    embedded: list[str] = []
    encode = EmbeddingModel.encode

    def record(self: EmbeddingModel, texts: Sequence[str]) -> Any:
        embedded.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(EmbeddingModel, "encode", record)
    documents = [document("C"), document("D", "Margins fell 20 basis points. We cut costs.")]
    build_corpus([*documents, document("E")], built, Provenance("tiny"), Indexing(dtype=dtype))
    assert Corpus.open(built).doc_ids == ["C", "D", "E"]
    assert {text.split()[1] for text in embedded if text not in PROBES} == {*again}


def test_prefix_is_embedded_unless_disabled(tmp_path: Path) -> None:
    def vector(embed_prefix: bool) -> list[float]:
        folder = tmp_path / str(embed_prefix)
        build_corpus(
            [document("A")],
            folder,
            Provenance("t"),
            Indexing(embed_prefix=embed_prefix, dtype="float32"),
        )
        return _first_vector(folder)

    with_prefix, bare = vector(True), vector(False)
    model = embedding_model(dtype="float32")
    sentence = "Revenue grew 5% to $4.2 billion."
    prefix = "[COMPANY: A | TYPE: EARNINGS_CALL | PERIOD: Q1_2021]"
    assert bare == pytest.approx(model.encode([sentence])[0].tolist(), abs=1e-5)
    assert with_prefix == pytest.approx(
        model.encode([f"{prefix} {sentence}"])[0].tolist(), abs=1e-5
    )


def _first_vector(folder: Path) -> list[float]:
    index = faiss.read_index(str(folder / "sentences.faiss"))
    assert index.metric_type == faiss.METRIC_INNER_PRODUCT
    return index.reconstruct(0).tolist()


def test_build_memory_does_not_grow_with_document_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_module, "_SENTENCES_PER_STEP", 100)
    text = " ".join(f"Revenue of unit {unit} grew." for unit in range(100))

    def build(number: int) -> None:
        """Build documents of the same text, whose sentences are embedded once."""
        build_corpus(
            (document(f"D{place}", text) for place in range(number)),
            tmp_path / str(number),
            Provenance("t"),
            Indexing(embed_prefix=False),
            annotate=lambda chunks: Extras({}, {"read": sum(map(len, chunks.values()))}),
        )

    def peak(number: int) -> int:
        tracemalloc.start()
        build(number)
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak_bytes

    build(1)  # loads the model
    assert peak(42) - peak(2) < 40 * len(text)  # not even the texts are kept in memory


def _edit(folder: Path, **changed: Any) -> None:
    """Change manifest fields; mappings are updated by item, and None removes an item."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for name, value in changed.items():
        if isinstance(value, dict):
            both = manifest[name] | value
            value = {key: item for key, item in both.items() if item is not None}
        manifest[name] = value
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(("changed", "message"), TABLES["manifests"])
def test_open_rejects_inconsistent_manifest(
    built: Path, changed: dict[str, Any], message: str
) -> None:
    _edit(built, **changed)
    with pytest.raises(InputError, match=re.escape(message)):
        Corpus.open(built)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("manifest.json", None, r"no prepared corpus .*manifest\.json is missing"),
        *(("manifest.json", text, "cannot be read") for text in ("", "{", "[]")),
        ("manifest.json", '{"format_version": 2}', "cannot be read"),
        ("sentences.faiss", None, r"sentences\.faiss is missing"),
        ("chunks.jsonl", "?", r"chunks\.jsonl has changed.*arag-inspect prepare tiny"),
        ("sentences.faiss", "?", r"sentences\.faiss has changed.*arag-inspect prepare tiny"),
    ],
)
def test_open_reports_damaged_or_missing_file(
    built: Path, name: str, content: str | None, message: str
) -> None:
    (built / name).unlink()
    if content is not None:
        (built / name).write_text(content)
    with pytest.raises(InputError, match=message):
        Corpus.open(built)


@pytest.mark.parametrize(("name", "value", "message"), TABLES["invalid data"])
def test_open_rejects_invalid_data_with_matching_digest(
    built: Path, name: str, value: Any, message: str
) -> None:
    path = built / ("chunks.jsonl" if value else name)
    content = b"garbage"
    if value:
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        rows[0][name] = value
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(content)
    _edit(built, files={path.name: hashlib.sha256(content).hexdigest()})
    with pytest.raises(InputError, match=rf"do not match \({message}"):
        Corpus.open(built)


def test_missing_corpus_error_lists_neighbouring_corpora(built: Path) -> None:
    with pytest.raises(
        InputError, match=r"no prepared .*; prepared beside it: tiny; make one with"
    ):
        Corpus.open(built.parent / "nosuch")


def test_build_replaces_corpus_of_earlier_format(built: Path) -> None:
    _edit(built, files={"chunks.jsonl": None, "chunks.parquet": "0"}, format_version=1)
    (built / "chunks.jsonl").rename(built / "chunks.parquet")
    build_corpus([document("C")], built, Provenance("tiny"))
    assert Corpus.open(built).doc_ids == ["C"] and not (built / "chunks.parquet").exists()


def test_search_rejects_index_embedded_with_other_weights(built: Path) -> None:
    _edit(built, embedding={"digest": "0" * 64})
    with pytest.raises(InputError, match="was embedded with other weights"):
        anyio.run(Corpus.open(built).semantic_search, "revenue", 1)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([], "no text to index"),
        ([document("A", " \n ")], "document A is empty"),
        ([document("A"), document("A")], "'A' occurs twice"),
    ],
)
def test_build_corpus_rejects_empty_or_duplicate_documents(
    tmp_path: Path, documents: list[Document], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        build_corpus(documents, tmp_path / "c", Provenance("t"))
    assert not (tmp_path / "c").exists()


def test_concurrent_build_of_same_folder_is_rejected(tmp_path: Path) -> None:
    def documents() -> Iterator[Document]:
        yield document("A")
        with pytest.raises(InputError, match="another process is preparing"):
            build_corpus([document("B")], tmp_path / "c", Provenance("t"))

    build_corpus(documents(), tmp_path / "c", Provenance("t"))
    assert Corpus.open(tmp_path / "c").doc_ids == ["A"]


def test_extra_files_are_recorded_in_manifest(tmp_path: Path) -> None:
    manifest = build_corpus(
        [document("A")],
        tmp_path / "c",
        Provenance("t"),
        annotate=lambda chunks: Extras({"samples.jsonl": f"{len(chunks)}\n"}, {"samples": 1}),
    )
    assert manifest.counts["samples"] == 1 and "samples.jsonl" in manifest.files
    assert (tmp_path / "c" / "samples.jsonl").read_text() == "1\n"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("no/such-model", "cannot be loaded"),
        ("/nowhere/at/all", "cannot be loaded"),
        ("", r"no \*\.safetensors weights"),
    ],
)
def test_build_corpus_rejects_unavailable_model(tmp_path: Path, model: str, message: str) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "pytorch_model.bin").write_bytes(b"pickle")
    model_name = model or str(tmp_path / "model")
    with pytest.raises(InputError, match=message):
        build_corpus(
            [document("A")], tmp_path / "c", Provenance("t"), Indexing(embedding_model=model_name)
        )


def test_build_corpus_refuses_to_replace_non_corpus(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("x")
    for name in ("mine", "file"):
        with pytest.raises(InputError, match=f"{name} exists and is not a prepared corpus"):
            build_corpus([document("A")], tmp_path / name, Provenance("t"))
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_build_corpus_refuses_to_replace_folder_with_user_files(built: Path) -> None:
    (built / "notes.md").write_text("mine")
    with pytest.raises(InputError, match=r"contains notes\.md, which is not part of a corpus"):
        build_corpus([document("C")], built, Provenance("tiny"))
    (built / "notes.md").unlink()
    (built / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="is not a prepared corpus"):
        build_corpus([document("C")], built, Provenance("tiny"))


def test_build_corpus_follows_symbolic_link(built: Path) -> None:
    link = built.parent / "link"
    link.symlink_to(built)
    for name in ("C", "D"):
        build_corpus([document(name)], link, Provenance("tiny"))
    assert link.is_symlink() and Corpus.open(built).doc_ids == ["D"]


@pytest.mark.parametrize("target", ["first", "second"])
def test_build_corpus_rejects_circular_symlink(tmp_path: Path, target: str) -> None:
    (tmp_path / "first").symlink_to(tmp_path / target)
    (tmp_path / "second").symlink_to(tmp_path / "first")
    for out in (tmp_path / "first", tmp_path / "second" / "corpus"):
        with pytest.raises(InputError, match="is a circular symlink; choose another --out"):
            build_corpus([document("C")], out, Provenance("tiny"))


def test_write_index_raises_os_error_when_not_writable(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        write_index(new_index(384), Path("/dev/full"))
    with pytest.raises(OSError, match="No such file"):
        write_index(new_index(384), tmp_path / "nowhere" / "i.faiss")
