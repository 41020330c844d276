"""Tests of what is published: the wheel, its types, and the Inspect Evals register entry."""

import subprocess
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hatchling.builders.wheel import WheelBuilder
from inspect_ai import eval, list_tasks
from inspect_ai.util import registry_info
from inspect_evals_lint.config import REGISTER_CONFIG

from arag_inspect import _registry, tasks
from arag_inspect._util.errors import InputError
from arag_inspect.cli.main import main
from arag_inspect.corpus import Corpus
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.foreign_suite import foreign, passages
from tests.scripted import run

ROOT = Path(__file__).parents[1]


def test_wheel_holds_every_package_file(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
        names = archive.read("arag_inspect-0.1.0.dist-info/entry_points.txt").decode()
    tracked = subprocess.run(
        ["git", "ls-files", "arag_inspect"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(tracked) > 300 and set(tracked) <= inside
    assert "arag_inspect/py.typed" in inside
    assert not [name for name in inside if name.startswith(("tests/", "measurements/", "docs/"))]
    assert "arag-inspect = arag_inspect.cli.main:main" in names


def test_typed_foreign_suite_runs(synthetic_folder: Path) -> None:
    log = run(foreign(str(synthetic_folder)), "offline/extractive", limit=1)
    assert log.status == "success" and log.samples and log.samples[0].scores
    trace = log.samples[0].store_as(RetrievalTrace)
    texts = passages(trace, Corpus.open(synthetic_folder))
    assert texts == [passage.text for passage in trace.passages] and len(texts) == 3
    assert set(log.samples[0].scores) == {"factual_consistency", "rouge", "retrieval_pr"}


def test_register_entry_names_existing_tasks() -> None:
    entry = yaml.safe_load((ROOT / "register" / "arag_inspect" / "eval.yaml").read_text())
    assert {"arxiv", "tags", "source", *REGISTER_CONFIG.eval_yaml_required_fields} <= entry.keys()
    assert entry["source"]["maintainers"] == entry["contributors"]
    assert 0 < len(entry["tasks"]) <= 10
    overview = (ROOT / "docs" / "tasks.md").read_text().replace(",", "")
    for one in entry["tasks"]:
        assert one["task_path"] == f"tasks/{one['name']}.py" and one["name"] in tasks.__all__
        (row,) = [line for line in overview.splitlines() if line.startswith(f"| `{one['name']}`")]
        samples = {6: "six", 20: "twenty"}.get(
            one.get("dataset_samples"), str(one.get("dataset_samples", ""))
        )
        assert samples in row


@pytest.mark.parametrize("kind", ["task", "solver", "scorer"])
def test_every_registered_name_has_own_file(kind: str) -> None:
    package = getattr(_registry, f"{kind}s")
    objects = {name: getattr(package, name) for name in package.__all__}
    names = {name for name, item in objects.items() if _is_registered(item, kind)}
    files = {path.stem: path.read_text() for path in (ROOT / f"{kind}s").glob("*.py")}
    assert files.keys() == names and len(names) > 8
    for name, text in files.items():
        stub = f"from arag_inspect._registry import {kind}\n\n\n@{kind}\ndef {name}() -> None: ..."
        assert text.endswith(f"\n\n{stub}\n")
    if kind == "task":
        listed = list_tasks(root_dir=ROOT / "tasks")
        assert {info.name for info in listed} == {Path(info.file).stem for info in listed} == names


def _is_registered(item: object, kind: str) -> bool:
    try:
        return registry_info(item).type == kind
    except ValueError:
        return False


@pytest.mark.parametrize("suffix", ["", "@earnings_synthetic"])
def test_task_runs_by_file_path(
    synthetic_folder: Path, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    address = f"tasks/earnings_synthetic.py{suffix}"
    (log,) = eval(
        address,
        task_args={"corpus": str(synthetic_folder), "scorers": "efficiency"},
        model="offline/extractive",
        limit=1,
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success" and log.eval.task == "earnings_synthetic"
    assert log.eval.task_args["target_length"] == 75
    assert (log.eval.metadata or {})["arag_inspect"] == version("arag_inspect")
    for name in ("earnings_synthetic", "legal_cases"):
        with pytest.raises(InputError, match=f"^task {name} has no parameter 'nope'"):
            eval(f"tasks/{name}.py", task_args={"nope": 1}, model="offline/extractive")


def test_task_versions_page_lists_current_version(synthetic_folder: Path) -> None:
    page = (ROOT / "docs" / "development" / "task-versions.md").read_text()
    versions = [
        int(line.split("|")[1]) for line in page.splitlines() if line[:3].strip("| ").isdigit()
    ]
    assert versions and earnings_synthetic(corpus=str(synthetic_folder)).version == max(versions)


def test_shell_completes_commands() -> None:
    environment = {
        "_ARAG_INSPECT_COMPLETE": "bash_complete",
        "COMP_WORDS": "arag-inspect dem",
        "COMP_CWORD": "1",
    }
    result = CliRunner().invoke(main, [], prog_name="arag-inspect", env=environment)
    assert result.output.strip() == "plain,demo"


def test_torch_index_is_set_by_make_variable() -> None:
    """Other package indexes may serve a CUDA build of `torch` with several gigabytes."""

    def installation(*words: str) -> str:
        typed = [
            "make",
            "--dry-run",
            "--always-make",
            *words,
            "VENV=build/none",
            "build/none/offline",
        ]
        return subprocess.run(typed, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert "--extra-index-url" not in installation()
    commands = installation("TORCH_INDEX=https://i.example/cpu").splitlines()
    (line,) = [command for command in commands if "i.example" in command]
    assert " pip install " in line and " -c constraints.txt " in line
    assert line.endswith(" --extra-index-url https://i.example/cpu torch uv")
    page = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    assert "make demo TORCH_INDEX=https://download.pytorch.org/whl/cpu" in page
