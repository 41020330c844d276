"""Tests of replacing a prepared folder when the process is killed at any step on disk."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.cli.main import main
from arag_inspect.corpus import Corpus, Document, Extras, Provenance, Section, build_corpus
from arag_inspect.corpus.prepared import builder
from arag_inspect.corpus.prepared.manifest import is_prepared, read_manifest
from tests.benchmarks.ectsum.source import write_source
from tests.faults.processes import forked, status

EDIT = "revenue was $9 million, by hand"

STEPS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "shutil.rmtree")


def kill_on(is_moment: Callable[[str, Any], bool]) -> None:
    """Kill this process at a Python audit event."""

    def on(event: str, arguments: Any) -> None:
        if is_moment(event, arguments):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(on)


def facts_killed_at(step: int, folder: Path) -> None:
    left = count(step, -1)
    kill_on(lambda event, _: event in STEPS and next(left) == 0)
    main(["prepare", "facts", str(folder)])


def build_killed_before_its_manifest(folder: Path) -> None:
    model = SimpleNamespace(
        name="m", dtype="float32", digest="", prompts={}, fingerprint="", dimension=4, window=100,
        machine=None,
        count_tokens=lambda texts: [1] * len(texts),
        encode=lambda texts: np.ones((len(texts), 4), np.float32),
    )  # fmt: skip  # a process that was forked cannot use the threads of the real one
    builder.embedding_model = lambda *_: model  # type: ignore
    kill_on(
        lambda event, arguments: (
            event == "open" and str(arguments[0]).endswith("manifest.json") and "w" in arguments[1]
        )
    )
    extras = Extras({"facts.jsonl": "of another set", "gold.json": "{}"}, {})
    build_corpus([document("A")], folder, Provenance("one"), annotate=lambda _: extras)


def document(name: str) -> Document:
    return Document(name, name, "Q1_2021", (Section("All", f"Revenue of {name} grew 5%.", name),))


@pytest.fixture(scope="module")
def edited_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared folder with a user's edit to a fact, not yet applied."""
    base = tmp_path_factory.mktemp("edited")
    options = Options(out=base / "c")
    folder = prepare_dataset(
        "ectsum", split="test", source=write_source(base / "E"), options=options
    ).folder
    bank = folder / "facts.jsonl"
    lines = [json.loads(line) for line in bank.read_text().splitlines()]
    lines[0]["text"] = EDIT
    bank.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


@pytest.fixture(scope="module")
def killed(edited_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Copies of the folder after `facts` was killed before its first disk step, its second, ..."""
    base = tmp_path_factory.mktemp("killed")
    imports = shutil.copytree(edited_folder, base / "imports")  # writing modules is not a step
    assert CliRunner().invoke(main, ["prepare", "facts", str(imports)]).exit_code == 0
    folders = []
    for step in count():
        folder = Path(shutil.copytree(edited_folder, base / str(step) / "c"))
        if (code := status(forked(partial(facts_killed_at, step, folder)))) == 0:
            break
        assert code == -signal.SIGKILL
        folders.append(folder)
    assert len(folders) > 15
    assert not all(folder.exists() for folder in folders)  # the kill that would lose the folder
    return folders


def _prepare_again(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder.parent, tmp_path / folder.parent.name)) / folder.name


def test_facts_command_killed_at_any_step_keeps_corpus_and_edits(
    killed: list[Path], tmp_path: Path
) -> None:
    intact_count = 0
    for one in killed:
        folder = _prepare_again(one, tmp_path)
        try:
            Corpus.open(folder)
            intact_count += 1
        except InputError as error:  # not yet replaced
            assert "settle it with: arag-inspect prepare facts" in str(error)
        result = CliRunner().invoke(main, ["prepare", "facts", str(folder)])
        assert result.exit_code == 0, result.output
        Corpus.open(folder)
        assert EDIT in (folder / "facts.jsonl").read_text()
        assert EDIT in (folder / "samples.jsonl").read_text()
        left = {path.name for path in folder.parent.iterdir()}
        assert left == {".c.lock", "c"}, one
    assert 1 < intact_count < len(killed)


def test_interrupted_replacement_is_completed_when_corpus_is_opened_by_name(
    killed: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    away = next(one for one in killed if not one.exists())
    folder = _prepare_again(away, tmp_path)
    folder.parent.rename(tmp_path / "datasets")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.delenv("ARAG_DATASETS", raising=False)
    Corpus.open("c")
    assert (
        "completed the interrupted replacement of" in caplog.text and "datasets/c\n" in caplog.text
    )
    assert "removed" in caplog.text and ".c.old, left by an interrupted change" in caplog.text


def test_looking_at_interrupted_replacement_changes_nothing(
    killed: list[Path], tmp_path: Path
) -> None:
    away = next(one for one in killed if not one.exists())
    folder = _prepare_again(away, tmp_path)
    names_before = sorted(path.name for path in folder.parent.iterdir())
    assert is_prepared(folder) and not is_prepared(folder.with_name("d"))
    with pytest.raises(InputError, match="no prepared corpus at"):
        read_manifest(folder)
    assert sorted(path.name for path in folder.parent.iterdir()) == names_before
    assert read_manifest(Corpus.locate(folder)).dataset == "ectsum"


def test_build_refuses_to_overwrite_edits_after_killed_change(
    killed: list[Path], tmp_path: Path
) -> None:
    for one in killed:
        with pytest.raises(InputError, match="contains entries edited by hand"):
            build_corpus([document("B")], _prepare_again(one, tmp_path), Provenance("two"))


def test_killed_build_leaves_no_files_in_next_build(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    killed = forked(partial(build_killed_before_its_manifest, folder))
    assert status(killed) == -signal.SIGKILL
    assert (tmp_path / ".c.partial" / "facts.jsonl").is_file() and not folder.exists()
    build_corpus(
        [document("B")],
        folder,
        Provenance("two"),
        annotate=lambda chunks: Extras({"samples.jsonl": "{}"}, {}),
    )
    corpus = Corpus.open(folder)
    assert corpus.doc_ids == ["B"]
    assert {path.name for path in folder.iterdir()} == {*corpus.manifest.files, "manifest.json"}
    assert "samples.jsonl" in corpus.manifest.files and "facts.jsonl" not in corpus.manifest.files
