"""Tests of corpora in an object store, against a local S3 server."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import boto3
import pytest
import s3fs

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus, Document, Provenance, Section, build_corpus
from arag_inspect.corpus.mirror import forget_mirrors
from arag_inspect.corpus.stores.lance.write import convert_to_lance
from arag_inspect.tasks import earnings_synthetic
from tests.commands import call
from tests.logs import samples_of
from tests.scripted import run


@pytest.fixture
def bucket(s3: Any, cache: Path) -> Iterator[str]:
    """An empty bucket and a separate cache."""
    s3.create_bucket(Bucket="corpora")
    yield "s3://corpora"
    for item in s3.list_objects_v2(Bucket="corpora").get("Contents", []):
        s3.delete_object(Bucket="corpora", Key=item["Key"])
    forget_mirrors()


def keys() -> set[str]:
    listed = boto3.client("s3").list_objects_v2(Bucket="corpora").get("Contents", [])
    return {item["Key"] for item in listed}


def test_remote_corpus_gives_same_answers_as_local_one(
    bucket: str, synthetic_folder: Path, logs: Path
) -> None:
    address = f"{bucket}/synthetic"
    call(f"corpus convert {synthetic_folder} --store lance --out {address}")
    local, remote = Corpus.open(synthetic_folder), Corpus.open(address)
    assert [local.chunk(i) for i in range(5)] == [remote.chunk(i) for i in range(5)]
    answers = []
    for corpus in (str(synthetic_folder), address):
        task = earnings_synthetic(corpus=corpus, system="naive_rag", scorers="retrieval_pr")
        log = run(task, "offline/extractive", limit=2)
        assert log.status == "success", log.error
        answers.append([sample.output.completion for sample in samples_of(log)])
    assert answers[0] == answers[1] and len(answers[0]) == 2 and all(answers[0])


def test_prepare_writes_remote_corpus_and_local_mirror(
    bucket: str, recorded_calls: Path, tmp_path: Path
) -> None:
    address = f"{bucket}/calls"
    line = f"prepare ectsum --split val --source {recorded_calls} --out {address}"
    assert f"Prepared {address}" in call(f"{line} --store lance").output
    assert len(Corpus.open(address).doc_ids) == 3
    assert anyio.run(Corpus.open(address).semantic_search, "revenue", 2)
    mirror = Corpus.locate(address)
    assert mirror.is_relative_to(tmp_path / "cache") and Corpus.locate(f"{address}/") == mirror
    shutil.rmtree(tmp_path / "cache")
    forget_mirrors()
    assert Corpus.locate(address) == mirror and (mirror / "samples.jsonl").is_file()
    assert "give --store lance for an address" in call(line, code=1).output


def test_copied_local_store_folder_opens_from_remote_address(
    bucket: str, synthetic_folder: Path
) -> None:
    store = boto3.client("s3")
    for path in synthetic_folder.iterdir():
        store.upload_file(str(path), "corpora", f"copied/{path.name}")
    assert len(Corpus.open(f"{bucket}/copied")) == len(Corpus.open(synthetic_folder))


def _corpus(folder: Path, text: str) -> Path:
    build_corpus([Document("d", "", "", (Section("", text, ""),))], folder, Provenance("x"))
    return folder


def test_remote_readers_keep_version_and_two_versions_are_stored(
    bucket: str, tmp_path: Path
) -> None:
    address = f"{bucket}/changing"
    readers = []
    for place, text in enumerate(["One text.", "Two texts.", "Three texts."]):
        convert_to_lance(_corpus(tmp_path / str(place), text), address, command="")
        readers.append(Corpus.open(address))
        if place:
            assert readers[place - 1].chunk(0).text.startswith(("One", "Two"))
            assert anyio.run(readers[place - 1].keyword_search, ["text"], 1)
    assert [reader.chunk(0).text for reader in readers[1:]] == ["Two texts.", "Three texts."]
    assert len({key.split("/")[1] for key in keys()} - {"manifest.json"}) == 2


def test_failed_remote_conversion_keeps_old_corpus(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{bucket}/kept"
    convert_to_lance(_corpus(tmp_path / "old", "Old text."), address, command="")

    def lost(*_: object) -> None:
        raise OSError("connection reset in the middle")

    with monkeypatch.context() as patch:
        patch.setattr("arag_inspect.corpus.stores.lance.write.build_indices", lost)
        with pytest.raises(InputError, match="connection reset in the middle"):
            convert_to_lance(_corpus(tmp_path / "new", "New text."), address, command="")
    forget_mirrors()
    assert Corpus.open(address).chunk(0).text == "Old text."
    convert_to_lance(tmp_path / "new", address, command="")
    assert Corpus.open(address).chunk(0).text == "New text."


def _refusal(address: str) -> str:
    with pytest.raises(InputError) as caught:
        Corpus.open(address)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_bad_address_is_reported_in_one_line(
    bucket: str, synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no prepared corpus at s3://corpora/nothing" in _refusal(f"{bucket}/nothing")
    assert "no prepared corpus at s3://elsewhere/x" in _refusal("s3://elsewhere/x")
    assert "cannot be opened" in _refusal("nonsense://bucket/x")
    store = boto3.client("s3")
    text = json.loads((synthetic_folder / "manifest.json").read_text("utf-8"))
    hostile = json.dumps({**text, "files": {"../../x": "0"}})
    store.put_object(Bucket="corpora", Key="hostile/manifest.json", Body=hostile)
    assert "which is not a file name" in _refusal(f"{bucket}/hostile")
    store.put_object(Bucket="corpora", Key="other/notes.txt", Body="mine")
    with pytest.raises(InputError, match="exists and is not a prepared corpus"):
        convert_to_lance(synthetic_folder, f"{bucket}/other", command="")
    assert "other/notes.txt" in keys()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    s3fs.S3FileSystem.clear_instance_cache()
    assert "try again" in _refusal(f"{bucket}/unreachable")
