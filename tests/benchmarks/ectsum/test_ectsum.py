"""Tests of loading ECTSum from a local copy and over HTTP, intact and damaged."""

import io
import json
import random
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import json_dataset

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, Prepared, prepare_dataset
from arag_inspect.benchmarks.ectsum import reader as ectsum
from arag_inspect.corpus import Corpus
from arag_inspect.types.sample import SampleMetadata
from tests.benchmarks.ectsum.source import CALLS, KEY, write_source
from tests.serving import FileServer, serving


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_source(tmp_path / "ECTSum")


def prepare(source: Path | None, tmp_path: Path, **options: Any) -> Prepared:
    return prepare_dataset(
        "ectsum", split="test", source=source, options=Options(out=tmp_path / "c"), **options
    )


def test_prepare_ectsum_builds_samples_and_aligns_key_sentences(
    source: Path, tmp_path: Path
) -> None:
    prepared = prepare(source, tmp_path)
    assert prepared.manifest.counts == {
        "documents": 3, "chunks": 3, "sentences": 7, "samples": 3, "key_sentences": 4,
        "aligned_exact": 2,
        "aligned_fuzzy": 1, "unaligned": 1, "samples_without_key_sentences": 1, "facts": 4,
        "key_facts": 4,
    }  # fmt: skip
    samples = {s.id: s for s in json_dataset(str(prepared.folder / "samples.jsonl"))}
    assert list(samples) == sorted(CALLS)
    acme = samples["ACME_q1_2021"]
    assert acme.input == "Summarize the key highlights from ACME's Q1 2021 earnings call."
    assert acme.target == "q1 revenue $1.5 billion.\neps up."
    metadata = SampleMetadata(**acme.metadata or {})
    about = (metadata.company, metadata.period, metadata.style)
    assert about == ("ACME", "Q1_2021", "earnings_call")
    assert metadata.gold_chunk_ids == (0,) and list(metadata.evidence) == KEY["ACME_q1_2021"]
    gold = json.loads((prepared.folder / "gold_chunk_map.json").read_text())
    assert gold == {"ACME_q1_2021": [0], "NOKEY_q2_2020": [], "ZORG_q4_2020": [2]}
    alignment = json.loads((prepared.folder / "alignment.json").read_text())["ZORG_q4_2020"]
    assert [(a["match"], a["chunk_ids"]) for a in alignment] == [("fuzzy", [2]), ("none", [])]
    chunk = Corpus.open(prepared.folder).chunk(0)
    assert chunk.prefix == "[COMPANY: ACME | TYPE: EARNINGS_CALL | PERIOD: Q1_2021]"
    assert len(chunk.sentences) == 3
    assert prepared.manifest.source.commit is None  # a local copy with other contents
    assert len(prepared.manifest.source.inputs) == 8


def test_limit_keeps_first_calls_by_name(source: Path, tmp_path: Path) -> None:
    assert prepare(source, tmp_path, limit=2).manifest.counts["samples"] == 2
    assert Corpus.open(tmp_path / "c").doc_ids == ["ACME_q1_2021", "NOKEY_q2_2020"]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda root: root.joinpath("data/final/test/ects").rename(root / "x"),
         "no transcripts found: expected data/final/test/ects"),
        (lambda root: _file(root, "ects", "ACME_q1_2021").write_text(" \n"),
         "ects/ACME_q1_2021.txt: expected a text, and a name"),
        (lambda root: _file(root, "ects", "ACME_q1_2021").write_bytes(b"caf\xe9"),
         "ects/ACME_q1_2021.txt is not UTF-8"),
        (lambda root: _file(root, "gt_summaries", "ACME_q1_2021").unlink(),
         "gt_summaries/ACME_q1_2021.txt is missing"),
        (lambda root: _file(root, "ects", "ACME_q1_2021").rename(_file(root, "ects", "ACME")),
         "ects/ACME.txt: expected a text, and a name like"),
        (lambda root: _key(root, "test.json").unlink(), "test.json is missing in the source"),
        (lambda root: _key(root, "test.json").write_text("{}\n{}\n{}\n"),
         "test.json has a record without text `summaries`"),
        (lambda root: _key(root, "test.json").write_text("{}\n"), "1 records for the 3 names"),
    ],
)  # fmt: skip
def test_prepare_ectsum_rejects_damaged_source(
    source: Path, tmp_path: Path, damage: Callable[[Path], object], message: str
) -> None:
    damage(source)
    with pytest.raises(InputError, match=message):
        prepare(source, tmp_path)
    assert not (tmp_path / "c").exists()


def test_prepare_ectsum_rejects_missing_source_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="source folder .* does not exist"):
        prepare(tmp_path / "nowhere", tmp_path)


def _file(root: Path, folder: str, name: str) -> Path:
    return root / "data" / "final" / "test" / folder / f"{name}.txt"


def _key(root: Path, name: str) -> Path:
    return root / "codes" / "ECT-BPS" / "ectbps_ext" / "data" / name


def archive(source: Path, *, climbing: bool = False) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.add(source, arcname=f"ECTSum-{ectsum.COMMIT}")
        noise = tarfile.TarInfo("top/README.md")  # incompressible, so that there is a midpoint
        noise.size = 400_000
        tar.addfile(noise, io.BytesIO(random.Random(1).randbytes(noise.size)))
        if climbing:
            info = tarfile.TarInfo("top/../../data/final/test/ects/EVIL_q1_2021.txt")
            info.size = 3
            tar.addfile(info, io.BytesIO(b"bad"))
    return buffer.getvalue()


def test_ectsum_download_is_cached(
    source: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = FileServer(archive(source))
    with serving(server) as url:
        monkeypatch.setattr(ectsum, "ARCHIVE", f"{url}/ECTSum.tar.gz")
        for _ in range(2):
            prepared = prepare(None, tmp_path)
    assert prepared.manifest.counts["samples"] == 3
    assert len(server.asked) == 1
    origin = prepared.manifest.source
    assert (origin.url, origin.commit) == (ectsum.REPOSITORY, ectsum.COMMIT)


def test_path_traversal_in_archive_is_ignored_and_damaged_archive_rejected(
    source: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(FileServer(archive(source, climbing=True))) as url:
        monkeypatch.setattr(ectsum, "ARCHIVE", f"{url}/ECTSum.tar.gz")
        prepare(None, tmp_path)
    assert "EVIL_q1_2021" not in Corpus.open(tmp_path / "c").doc_ids
    shutil.rmtree(cache)
    with (
        serving(FileServer(archive(source)[:200])) as url,
        pytest.raises(InputError, match="is damaged"),
    ):
        monkeypatch.setattr(ectsum, "ARCHIVE", f"{url}/ECTSum.tar.gz")
        prepare(None, tmp_path)


def test_prepare_ectsum_rejects_split_missing_from_local_copy(source: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no transcripts found: expected data/final/train/ects"):
        prepare_dataset("ectsum", split="train", source=source, options=Options(out=tmp_path / "c"))


def test_every_key_sentence_of_recorded_calls_is_aligned_exactly(
    recorded_calls: Path, tmp_path: Path
) -> None:
    prepared = prepare_dataset(
        "ectsum", split="val", source=recorded_calls, options=Options(out=tmp_path / "c")
    )
    counts = prepared.manifest.counts
    assert counts["aligned_exact"] == counts["key_sentences"] == 15


def test_published_val_split_matches_content_digest(ectsum_copy: Path) -> None:
    files = ectsum.load_files("val", ectsum_copy)
    assert ectsum.content_digest(files) == ectsum.CONTENT_DIGESTS["val"]
    assert len(ectsum.read_calls(files, "val")) == 249
