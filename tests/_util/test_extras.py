"""Tests of an installation without extras: what works, and the errors for what does not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus, DenseIndex

HIDE = """
import sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
sys.modules.update(anthropic=None, openai=None)
"""
RETRIEVAL = {
    "torch", "transformers", "sentence_transformers", "faiss", "bm25s", "bert_score", "datasets",
    "pyarrow",
}  # fmt: skip
REPORT = {"vl_convert", "sklearn", "pandas"}

SCORES = """
import tests.quick
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate
import arag_inspect.tasks, arag_inspect.solvers, arag_inspect.tools
from arag_inspect import scorers as s

REPORT = "Summarize the report.\\n\\n" + (
    "Acme Corp. reported revenue of $4.2 billion for the third quarter of 2021, up 7% on a year "
    "ago, and expects more of the same."
)
(log,) = eval(
    Task(
        dataset=[Sample(id=1, input=REPORT, target="Revenue rose 7%.")],
        solver=generate(),
        scorer=[
            s.factual_consistency(judge=False, context="input"), s.rouge(), s.contain_match(),
            s.geval_coverage(), s.llm_accuracy(), s.nli_contradiction(),
            s.bertscore(),
        ],
    ),
    model="offline/extractive", display="none", log_dir="logs",
)
assert log.status == "success", log.error
with open("scores.txt", "w") as file:
    for name, score in log.samples[0].scores.items():
        print(name, score.reason, score.explanation if score.reason else "", file=file)
"""


LINES = {
    "report logs": "report",
    "gate logs --against logs --rule 'rouge >= 0'": "report",
    "prepare synthetic --documents 2": "retrieval",
    "corpus convert CORPUS --store lance --out lance": "lance",
}
"""Command lines and the extra that each is missing."""

TYPED = """
import json, shlex
from pathlib import Path
from click.testing import CliRunner
from arag_inspect.cli.main import main

typed = {{}}
for line in {lines}:
    done = CliRunner().invoke(main, shlex.split(line.replace("CORPUS", {corpus!r})))
    typed[line] = [done.exit_code, done.stderr]
Path("typed.json").write_text(json.dumps(typed))
"""


@pytest.fixture(scope="module")
def core_folder(synthetic_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run every feature that needs no extras in one process; return the folder."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "logs").mkdir()
    program = TYPED.format(lines=[*LINES], corpus=str(synthetic_folder))
    script = HIDE.format(hidden=sorted(RETRIEVAL | REPORT)) + program + SCORES
    process = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.returncode == 0, process.stderr
    return folder


def test_judge_and_program_scorers_need_no_extra(core_folder: Path) -> None:
    lines = (core_folder / "scores.txt").read_text().splitlines()
    unscored = [line for line in lines if " None " not in f"{line} "]
    assert len(lines) == 7
    judged, lacking = unscored[:2], unscored[2:]
    assert [line.split()[:2] for line in judged] == [
        ["geval_coverage", "no_grader"], ["llm_accuracy", "no_grader"]
    ]  # fmt: skip
    assert [line.split()[0] for line in lacking] == ["nli_contradiction", "bertscore"]
    for line in lacking:
        assert " scoring_failed this needs " in line
        assert line.endswith("run: pip install 'arag-inspect[retrieval]'")


@pytest.mark.parametrize(("line", "extra"), LINES.items())
def test_command_names_missing_extra(core_folder: Path, line: str, extra: str) -> None:
    code, printed = json.loads((core_folder / "typed.json").read_text())[line]
    last = printed.strip().splitlines()[-1]
    assert code == (3 if line.startswith("gate") else 1) and last.startswith(
        "Error: this needs "
    ), printed
    assert last.endswith(f"run: pip install 'arag-inspect[{extra}]'")
    assert not (core_folder / "lance").exists()


def test_filtered_search_names_missing_extra(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = DenseIndex(corpus.path / "sentences.faiss", np.zeros(3, np.int64))
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(InputError, match=r"this needs faiss, .*'arag-inspect\[retrieval\]'"):
        opened.search(np.zeros(opened.dimension, np.float32), 1, np.ones(1, np.bool_))
