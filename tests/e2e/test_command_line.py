"""End-to-end tests of the command line."""

import hashlib
import json
import os
import re
import shutil
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval, eval_retry
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from arag_inspect import solvers
from arag_inspect._util.errors import InputError
from arag_inspect.tasks import ectsum
from tests.benchmarks.ectsum.source import write_source
from tests.commands import call, typed
from tests.logs import samples_of, scores_of
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

ROOT = Path(__file__).parents[2]


def newest(folder: Path) -> EvalLog:
    infos = list_eval_logs(str(folder), descending=True)
    return read_eval_log(max(infos, key=lambda info: info.mtime or 0).name)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared corpus, as after a user's first command."""
    folder = tmp_path_factory.mktemp("project")
    write_source(folder / "ECTSum")
    datasets = folder / "datasets"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARAG_DATASETS", str(datasets))
        result = call("prepare ectsum --source", folder / "ECTSum")
    shown = result.output
    assert re.search(r"key sentences +4$", shown, re.M)
    assert "ZORG_q4_2020: A sentence that stands in no transcript" in shown
    assert "inspect eval arag_inspect/ectsum -T split=test" in shown
    return folder


def test_eval_by_file_can_be_rescored_without_corpus(project: Path, tmp_path: Path) -> None:
    typed(
        ROOT,
        "inspect eval tasks/ectsum.py --solver solvers/naive_rag.py -S top_k=2 "
        f"--model offline/extractive --display plain --log-dir {tmp_path}/logs",
        ARAG_DATASETS=str(project / "datasets"),
        ARAG_CACHE=str(tmp_path / "cache"),
    )
    log = newest(tmp_path / "logs")
    assert log.status == "success" and log.samples and len(log.samples) == 3
    assert log.plan.steps[0].solver == "naive_rag"
    assert {"geval_faithfulness", "geval_coverage", "retrieval_pr", "rouge"} < set(
        scores_of(log.samples[0])
    )
    assert log.eval.metadata and log.eval.metadata["corpus"]["dataset"] == "ectsum"
    datasets = project / "datasets"
    datasets.rename(project / "away")
    try:
        typed(
            project,
            f"inspect score {log.location} --scorer {ROOT}/scorers/rouge.py --action append "
            f"--output-file {tmp_path}/again.eval --overwrite --display plain",
        )
    finally:
        (project / "away").rename(datasets)
    again = read_eval_log(str(tmp_path / "again.eval"))
    assert again.samples and len(again.samples) == 3
    for sample in again.samples:
        values = [s.value for name, s in scores_of(sample).items() if name.startswith("rouge")]
        assert len(values) == 2 and values[0] == values[1]
        assert "retrieval_pr" in scores_of(sample)


def test_eval_names_prepare_command_when_corpus_is_missing(tmp_path: Path) -> None:
    shown = typed(tmp_path, "inspect eval arag_inspect/ectsum --model offline/extractive", code=1)
    (line,) = [line for line in shown.splitlines() if "Error" in line]
    assert "corpus ectsum-test is not prepared in" in line
    assert line.endswith("run: arag-inspect prepare ectsum --split test")
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("line", "starts"),
    [
        ("inspect eval arag_inspect/ectsum -T system=closed_book", False),
        ("inspect eval arag_inspect/ectsum -T system=closed_book --no-score", True),
        ("inspect eval arag_inspect/ectsum -T system=closed_book -T scorers=no_grader", True),
        ("arag-inspect run ectsum --systems closed_book", False),
    ],
)
def test_missing_grader_key_is_reported_before_first_sample(
    project: Path, tmp_path: Path, line: str, starts: bool
) -> None:
    shown = typed(
        project,
        f"{line} --model mockllm/model --limit 1 --log-dir {tmp_path}",
        code=0 if starts else 1,
        INSPECT_DISPLAY="plain",
    )
    refused = "Error: the default grader anthropic/claude-haiku-4-5-20251001 cannot be used"
    assert (refused in shown) is not starts
    assert len(list_eval_logs(str(tmp_path))) == starts


@pytest.mark.parametrize(("line", "remedy"), TABLES["judged scorers"])
def test_error_names_judged_scorers_without_grader_key(
    project: Path, tmp_path: Path, line: str, remedy: str
) -> None:
    shown = typed(
        project,
        f"{line} --model mockllm/model --limit 1 --log-dir {tmp_path}",
        code=1,
        INSPECT_DISPLAY="plain",
    )
    assert remedy in shown
    assert not list_eval_logs(str(tmp_path))


def test_task_rejects_corpus_of_other_split(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    with pytest.raises(InputError, match="corpus ectsum-test holds ectsum test, not ectsum val"):
        ectsum(split="val", corpus="ectsum-test")


def test_task_rejects_corpus_with_changed_samples(project: Path, tmp_path: Path) -> None:
    shutil.copytree(project / "datasets" / "ectsum-test", tmp_path / "c")
    with (tmp_path / "c" / "samples.jsonl").open("a") as file:
        file.write(json.dumps({"id": "../../etc/passwd", "input": "?", "target": "!"}) + "\n")
    with pytest.raises(InputError, match="samples.jsonl is missing or has changed since it was"):
        ectsum(corpus=str(tmp_path / "c"))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"sandbox": "local", "setup": "touch owned"}, "sandbox: Extra inputs are not permitted"),
        ({"files": {"a": "b"}}, "files: Extra inputs are not permitted"),
        ({"input": 5}, "input: Input should be a valid string"),
    ],
)
def test_task_rejects_samples_with_unexpected_fields(
    project: Path, tmp_path: Path, row: dict[str, object], reason: str
) -> None:
    folder = tmp_path / "c"
    shutil.copytree(project / "datasets" / "ectsum-test", folder)
    path = folder / "samples.jsonl"
    path.write_text(json.dumps({"id": "a", "input": "?", "target": "!", **row}) + "\n")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["samples.jsonl"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=f"row 1: {re.escape(reason)}"):
        ectsum(corpus=str(folder))


def test_prepare_does_not_replace_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = call("prepare synthetic --documents 1 --out", pipe, code=1)
    assert "exists and is not a prepared corpus" in result.output
    assert pipe.is_fifo()


def test_eval_retry_completes_failed_eval_and_keeps_finished_samples(
    project: Path, tmp_path: Path
) -> None:
    """One sample fails, the others are kept, and the retry requests only the missing one."""
    folder = tmp_path / "outputs"
    folder.mkdir()
    for name in ("ACME_q1_2021", "ZORG_q4_2020"):
        (folder / f"{name}.txt").write_text("Revenue grew.")
    (log,) = eval(
        "arag_inspect/ectsum",
        task_args={"scorers": "no_grader", "corpus": str(project / "datasets" / "ectsum-test")},
        solver=solvers.replay(predictions=str(folder)),
        log_dir=str(tmp_path / "logs"),
        max_samples=1,
        display="none",
    )
    assert log.status == "error" and log.error is not None
    assert "no prediction for sample 'NOKEY_q2_2020'" in log.error.message
    (folder / "NOKEY_q2_2020.txt").write_text("A quiet quarter.")
    (again,) = eval_retry(log, log_dir=str(tmp_path / "logs"), display="none")
    assert again.status == "success" and again.results and again.samples
    assert again.results.completed_samples == 3
    assert all(scores_of(sample)["rouge"].value for sample in again.samples)
    kept_uuids = {s.uuid for s in samples_of(log) if not s.error} & {
        s.uuid for s in samples_of(again)
    }
    assert len(kept_uuids) == 1


def test_datasets_folder_does_not_shadow_hugging_face_package() -> None:
    spec = PathFinder.find_spec("datasets", [str(ROOT), *sys.path])
    assert (ROOT / "datasets").is_dir()
    assert spec and str(spec.origin).endswith("site-packages/datasets/__init__.py")


@pytest.mark.parametrize(("options", "message"), TABLES["invalid parameters"])
def test_invalid_task_or_solver_parameter_is_reported_in_one_line(
    project: Path, monkeypatch: pytest.MonkeyPatch, options: str, message: str
) -> None:
    monkeypatch.chdir(project)
    words = options.split()
    arguments: Any = {k: _value(v) for k, _, v in (w.partition("=") for w in words if "=" in w)}
    with pytest.raises(InputError) as raised:
        if words[0] == "-T":
            ectsum(**arguments)
        else:
            getattr(solvers, words[1].split("/")[1])(**arguments)
    assert message in str(raised.value) and "\n" not in str(raised.value)


def _value(text: str) -> object:
    import yaml

    if text.startswith("{{") or "," in text:
        return text if text.startswith("{{") else text.split(",")
    return yaml.safe_load(text.replace(":", ": "))
