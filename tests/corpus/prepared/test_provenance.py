"""Tests of recording which machine embedded a corpus, and of warnings on other machines."""

import base64
import json
import logging
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmark.samples import corpus_metadata
from arag_inspect.corpus import Corpus, Document, Provenance, Section, build_corpus, embedding_model
from arag_inspect.corpus.embedding.probes import PROBES
from tests.commands import call

Change = Callable[[dict[str, Any]], None]


@pytest.mark.usefixtures("real_vectors")
def test_manifest_records_machine_and_probe_vectors(tmp_path: Path) -> None:
    import torch

    letter = Document("A", "A", "", (Section("Letter", "Sales rose 5%.", "[LETTER]"),))
    build_corpus([letter], tmp_path / "corpus", Provenance("x"))
    embedding = json.loads((tmp_path / "corpus" / "manifest.json").read_text())["embedding"]
    assert embedding["dtype"] == "float32"
    machine = embedding["machine"]
    assert machine["instruction_set"] == torch.backends.cpu.get_cpu_capability()
    assert machine["libraries"]["torch"] == torch.__version__ and machine["threads"] >= 1
    probes = np.frombuffer(base64.b64decode(embedding["probes"]), "<f4").reshape(10, -1)
    np.testing.assert_allclose(probes, embedding_model().encode(PROBES), atol=1e-6)


def test_log_metadata_records_machine_without_probe_vectors(synthetic_folder: Path) -> None:
    embedding = corpus_metadata(synthetic_folder)["corpus"]["embedding"]
    assert embedding["machine"]["device"] and "probes" not in embedding


def _other_machine(embedding: dict[str, Any]) -> None:
    embedding["machine"]["instruction_set"] = "AVX1024"


def _other_vectors(embedding: dict[str, Any]) -> None:
    _other_machine(embedding)
    probes = np.frombuffer(base64.b64decode(embedding["probes"]), "<f4").copy()
    probes[7] += 0.002
    embedding["probes"] = base64.b64encode(probes.tobytes()).decode()


def _other_last_digits(embedding: dict[str, Any]) -> None:
    _other_machine(embedding)
    probes = np.frombuffer(base64.b64decode(embedding["probes"]), "<f4") + 5e-5
    embedding["probes"] = base64.b64encode(probes.astype("<f4").tobytes()).decode()


def _no_probes(embedding: dict[str, Any]) -> None:
    del embedding["machine"], embedding["probes"]


def _gpu(embedding: dict[str, Any]) -> None:
    embedding["machine"]["device"] = "NVIDIA H100"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda _: None, None),
        (_other_machine, None),
        (_other_last_digits, None),
        (_other_vectors, "differ from those of this one by up to 0.002 (cpu, AVX1024, "),
        (_no_probes, "has no probe vectors"),
        (lambda embedding: embedding.update(dtype="bfloat16"), "embedded in bfloat16, so"),
        (_gpu, "embedded in float32 on NVIDIA H100"),
    ],
)
def test_first_search_warns_once_when_vectors_differ(
    synthetic_folder: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    change: Change,
    line: str | None,
) -> None:
    corpus = Corpus.open(_copy_with_change(synthetic_folder, tmp_path, change))
    with caplog.at_level(logging.WARNING, "arag_inspect"):
        for exact in (False, True, False):
            assert anyio.run(partial(corpus.semantic_search, "cash", 2, exact=exact))
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == (0 if line is None else 1)
    for text in lines:
        assert line and line in text and str(corpus.path) in text and "\n" not in text
        assert corpus.manifest.command in text


@pytest.mark.parametrize(
    ("change", "state", "said"),
    [
        (_other_last_digits, "ok", "corpus: at most 5e-05 from those of cpu, AVX1024, "),
        (_other_vectors, "note", "corpus: at most 0.002 from those of cpu, AVX1024, "),
        (_no_probes, "note", "corpus: no probe vectors; prepare it again"),
        (
            lambda embedding: embedding.update(model="acme/not-here"),
            "note",
            "corpus: not compared (acme/not-here is not on this machine)",
        ),
    ],
)
def test_doctor_reports_largest_probe_vector_difference(
    synthetic_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Change,
    state: str,
    said: str,
) -> None:
    monkeypatch.setenv("ARAG_DATASETS", str(tmp_path))
    _copy_with_change(synthetic_folder, tmp_path, change)
    printed = " ".join(call("doctor").stdout.split())
    assert f"{state} vectors {said}" in printed


@pytest.mark.parametrize("probes", ["", "AAAA", "no base64!", "A" * 20_480 + "AAAA"])
def test_open_rejects_unreadable_probe_vectors(
    synthetic_folder: Path, tmp_path: Path, probes: str
) -> None:
    folder = _copy_with_change(synthetic_folder, tmp_path, lambda own: own.update(probes=probes))
    with pytest.raises(InputError, match=r"manifest.json cannot be read .*; prepare the corpus"):
        Corpus.open(folder)


def _copy_with_change(folder: Path, tmp_path: Path, change: Change) -> Path:
    """Copy a prepared folder and change the description of the embedding in its manifest."""
    copy = shutil.copytree(folder, tmp_path / "corpus")
    manifest = json.loads((copy / "manifest.json").read_text())
    change(manifest["embedding"])
    (copy / "manifest.json").write_text(json.dumps(manifest))
    return copy
