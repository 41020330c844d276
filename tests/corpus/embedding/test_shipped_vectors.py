"""Tests of the vectors that the package ships for the demo's corpus."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from arag_inspect.corpus import Document, Provenance, Section, build_corpus, embedding_model
from arag_inspect.corpus.chunks import read_chunks
from arag_inspect.corpus.embedding.models import Vectors
from arag_inspect.corpus.prepared.builder import passages
from arag_inspect.corpus.search.dense_index import read_index
from arag_inspect.run.demo import VECTORS, prepare_demo

pytestmark = pytest.mark.usefixtures("real_vectors")

_TOLERANCE = 1e-6
"""Largest difference in a component between two processors; see docs/reproducibility.md."""

_LETTER = Document("A", "A", "", (Section("Letter", "Sales rose 5%. Costs fell.", "[LETTER]"),))


def _vectors(folder: Path) -> Vectors:
    index = read_index(folder / "sentences.faiss")
    return index.reconstruct_n(0, index.ntotal)


def test_demo_corpus_has_shipped_vectors_which_equal_computed_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepared = prepare_demo(tmp_path / "demo")
    assert capsys.readouterr().err == ""
    shipment = json.loads((VECTORS / "manifest.json").read_text())
    embedding = prepared.manifest.embedding.model_dump()
    assert (embedding["machine"], embedding["probes"]) == (shipment["machine"], shipment["probes"])
    texts = passages(read_chunks(prepared.folder), embed_prefix=True)
    vectors = _vectors(prepared.folder)
    assert len(texts) == len(vectors) > 4_000
    some = slice(None, None, len(texts) // 40)
    computed = embedding_model().encode(texts[some])
    np.testing.assert_allclose(vectors[some], computed, rtol=0, atol=_TOLERANCE)


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ("", "they belong to other texts"),
        ("manifest.json", "they belong to another embedding model"),
        ("vectors.npy", "their files have changed"),
    ],
)
def test_vectors_are_computed_when_shipped_ones_do_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damaged: str, reason: str
) -> None:
    shipped = shutil.copytree(VECTORS, tmp_path / "shipped")
    if damaged:
        content = (shipped / damaged).read_bytes()
        (shipped / damaged).write_bytes(content.replace(b"float32", b"float16", 1) + b"\n")
    build_corpus([_LETTER], tmp_path / "with", Provenance("x"), shipped=shipped)
    line = f"The shipped vectors are not used, as {reason}; computing them.\n"
    assert capsys.readouterr().err == line
    build_corpus([_LETTER], tmp_path / "without", Provenance("x"))
    assert (_vectors(tmp_path / "with") == _vectors(tmp_path / "without")).all()
    manifests = [tmp_path / name / "manifest.json" for name in ("with", "without")]
    assert manifests[0].read_text() == manifests[1].read_text()
