"""Tests that a prepared corpus is replaced by a smaller one only with --force."""

import json
from pathlib import Path
from typing import Any

import pytest

from arag_inspect.corpus import Corpus
from tests.commands import call

QUESTION = '{{"id": "q{n}", "question": "What was revenue {n}?", "answer": "{n} million"}}\n'


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two documents and two questions, and smaller sets of each."""
    monkeypatch.chdir(tmp_path)
    for folder, count in (("more", 3), ("two", 2), ("one", 1)):
        (tmp_path / folder).mkdir()
        for n in range(count):
            (tmp_path / folder / f"{n}.txt").write_text(f"Revenue {n} was {n} million.")
        questions = "".join(QUESTION.format(n=n) for n in range(count))
        (tmp_path / f"{folder}.jsonl").write_text(questions)
    return tmp_path


def prepare(options: str = "", code: int = 0, out: str = "corpus") -> str:
    if "--documents" not in options:
        options += " --documents two"
    if "--questions" not in options:
        options += " --questions two.jsonl"
    return call(f"prepare custom {options} --out {out}", code=code).output


_LESS = {
    "--documents one": "documents 2 -> 1",
    "--questions one.jsonl": "samples 2 -> 1",
    "--chunk-tokens 64": "chunk_tokens 1000 -> 64",
    "--chunk-tokens 2000": "chunk_tokens 1000 -> 2000",
    "--build embed_prefix=false": "embed_prefix True -> False",
    "--documents one --chunk-tokens 64": "chunk_tokens 1000 -> 64, documents 2 -> 1",
}
"""Options that build a different or smaller corpus, and the expected message."""


@pytest.mark.parametrize("store", ["local", "lance"])
def test_corpus_is_replaced_by_smaller_one_only_with_force(sources: Path, store: str) -> None:
    prepare(f"--store {store}")
    manifest = sources / "corpus" / "manifest.json"
    before = manifest.read_bytes()
    for options, change in _LESS.items():
        refused = prepare(f"{options} --store {store}", code=1)
        expected = (
            f"corpus already contains a different or larger corpus ({change}). "
            "Use --force to replace it"
        )
        assert expected in refused and manifest.read_bytes() == before
    prepare(f"--documents one --store {store} --force")
    assert manifest.read_bytes() != before


def test_corpus_is_kept_when_split_or_data_set_differs(sources: Path) -> None:
    call("prepare synthetic --documents 2 --out calls")
    refusals = {
        "--documents 1 --seed 7": "documents 2 -> 1",
        "--documents 2 --seed 8": "split seed7 -> seed8",
    }
    for options, change in refusals.items():
        assert change in call(f"prepare synthetic {options} --out calls", code=1).output
    assert "dataset synthetic -> custom" in prepare(out="calls", code=1)
    assert len(Corpus.open(sources / "calls").doc_ids) == 2


def test_corpus_is_replaced_without_force_by_same_or_larger_one(sources: Path) -> None:
    prepare()
    prepare()
    prepare("--documents more --questions more.jsonl")
    assert len(Corpus.open(sources / "corpus").doc_ids) == 3


_OLDER: dict[str, dict[str, Any]] = {
    "format": {"format_version": 1},
    "dtype": {"embedding": {"dtype": "bfloat16"}},
    "without probe vectors": {"embedding": {"machine": None, "probes": None}},
}
"""Fields of an older corpus's manifest."""


@pytest.mark.parametrize("kind", _OLDER)
def test_older_corpus_is_rebuilt_without_force(sources: Path, kind: str) -> None:
    prepare()
    path = sources / "corpus" / "manifest.json"
    content = json.loads(path.read_text())
    older = {**content, **_OLDER[kind]}
    older["embedding"] = {**content["embedding"], **_OLDER[kind].get("embedding", {})}
    path.write_text(json.dumps(older))
    prepare()
    rewritten = json.loads(path.read_text())
    assert rewritten["format_version"] == content["format_version"]
    assert rewritten["embedding"] == content["embedding"]
