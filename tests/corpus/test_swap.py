"""A prepared folder whose change is killed, at every step that it takes on disk."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arag_inspect._util.errors import InputError
from arag_inspect.cli.main import main
from arag_inspect.corpus import Corpus, Document, Extras, Section, build_corpus
from arag_inspect.datasets import Options, prepare_dataset
from tests.datasets.ectsum_source import write_source

EDIT = "revenue was $9 million, by hand"

_FACTS_KILLED_AT_EVERY_STEP = """
import os, shutil, signal, sys
from itertools import count
from arag_inspect.cli.main import main

def kill_at(step):
    left = count(step, -1)
    def on(event, args):
        if event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "shutil.rmtree"):
            if next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(on)

source, base = sys.argv[1:]
command = ["prepare", "facts"]
main([*command, shutil.copytree(source, f"{base}/imports/c")], standalone_mode=False)
shutil.rmtree(f"{base}/imports")
for step in count():
    folder = shutil.copytree(source, f"{base}/{step}/c")
    child = os.fork()
    if not child:
        kill_at(step)
        main([*command, folder])
    if not os.waitpid(child, 0)[1]:
        break
"""

_BUILD_KILLED_BEFORE_ITS_MANIFEST = """
import os, signal, sys
from pathlib import Path
from types import SimpleNamespace
import numpy as np
from arag_inspect.corpus import Document, Extras, Section, builder

model = SimpleNamespace(
    name="m", dtype="float32", digest="", prompts={}, fingerprint="", dimension=4, window=100,
    count_tokens=lambda texts: [1] * len(texts),
    encode=lambda texts: np.ones((len(texts), 4), np.float32),
)  # the real one takes long to load
builder.embedding_model = lambda *_: model

def on(event, args):
    if event == "open" and str(args[0]).endswith("manifest.json") and "w" in str(args[1]):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(on)
extras = Extras({"facts.jsonl": "of another set", "gold.json": "{}"}, {})
document = Document("A", "A", "Q1", (Section("All", "Revenue of A grew 5%.", "A"),))
builder.build_corpus([document], Path(sys.argv[1]), dataset="one", annotate=lambda _: extras)
"""


def document(name: str) -> Document:
    return Document(name, name, "Q1_2021", (Section("All", f"Revenue of {name} grew 5%.", name),))


def python(script: str, *arguments: object) -> int:
    return subprocess.run([sys.executable, "-c", script, *map(str, arguments)]).returncode


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared folder with a fact that a person has changed, not yet taken over."""
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
def killed(edited: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folder after `facts` was killed before its first step on disk, its second, ..."""
    base = tmp_path_factory.mktemp("killed")
    assert python(_FACTS_KILLED_AT_EVERY_STEP, edited, base) == 0
    steps = sorted(base.iterdir(), key=lambda step: int(step.name))[:-1]  # the last was not killed
    assert len(steps) > 15
    assert any(not (step / "c").exists() for step in steps)  # the kill that loses the folder
    return [step / "c" for step in steps]


def _again(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder.parent, tmp_path / folder.parent.name)) / folder.name


def test_facts_killed_anywhere_lose_neither_folder_nor_edit(
    killed: list[Path], tmp_path: Path
) -> None:
    whole = 0
    for one in killed:
        folder = _again(one, tmp_path)
        try:
            Corpus.open(folder)
            whole += 1
        except InputError as error:  # not yet replaced
            assert "settle it with: arag-inspect prepare facts" in str(error)
        shown = CliRunner().invoke(main, ["prepare", "facts", str(folder)])
        assert shown.exit_code == 0, shown.output
        Corpus.open(folder)
        assert EDIT in (folder / "facts.jsonl").read_text()
        assert EDIT in (folder / "samples.jsonl").read_text()
        left = {path.name for path in folder.parent.iterdir()}
        assert left == {".c.lock", "c"}, one
    assert 1 < whole < len(killed)


def test_a_folder_that_was_away_is_found_by_its_name(
    killed: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    away = next(one for one in killed if not one.exists())
    folder = _again(away, tmp_path)
    folder.parent.rename(tmp_path / "datasets")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.delenv("ARAG_DATASETS", raising=False)
    Corpus.open("c")
    assert (
        "completed the interrupted replacement of" in caplog.text and "datasets/c\n" in caplog.text
    )
    assert "removed" in caplog.text and ".c.old, left by an interrupted change" in caplog.text


def test_a_killed_change_is_not_prepared_over(killed: list[Path], tmp_path: Path) -> None:
    for one in killed:
        with pytest.raises(InputError, match="holds entries edited by hand"):
            build_corpus([document("B")], _again(one, tmp_path), dataset="two")


def test_a_killed_preparation_leaves_nothing_to_the_next_data_set(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = tmp_path / "c"
    assert python(_BUILD_KILLED_BEFORE_ITS_MANIFEST, folder) == -9
    assert (tmp_path / ".c.partial" / "facts.jsonl").is_file() and not folder.exists()
    build_corpus(
        [document("B")],
        folder,
        dataset="two",
        annotate=lambda chunks: Extras({"samples.jsonl": "{}"}, {}),
    )
    corpus = Corpus.open(folder)
    assert corpus.doc_ids == ["B"]
    assert {path.name for path in folder.iterdir()} == {*corpus.manifest.files, "manifest.json"}
    assert "samples.jsonl" in corpus.manifest.files and "facts.jsonl" not in corpus.manifest.files
