"""Tests of experiment files: `run --write FILE` and `run FILE`."""

import hashlib
from pathlib import Path

import pytest
import yaml
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.commands import call

pytestmark = pytest.mark.usefixtures("logs")

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_run_from_written_file_repeats_command_and_prints_table(
    synthetic_folder: Path,
) -> None:
    command = ["run", "earnings_synthetic", "--systems", "naive_rag,stuffing", "--limit", "2"]
    command += ["--model", "offline/extractive", "-T", f"corpus={synthetic_folder}"]
    command += ["-T", "system_args={top_k: 2}", "-T", "scorers=rouge,efficiency"]
    call(*command, "--write", "e.yaml", "--", "--max-tasks", "2")
    content = yaml.safe_load(Path("e.yaml").read_text())
    assert content["parameters"]["system_args"] == {"top_k": 2}
    assert content["inspect"] == ["--max-tasks", "2"] and content["limit"] == 2
    call("run", "e.yaml", "--write", "again.yaml")
    assert Path("again.yaml").read_text() == Path("e.yaml").read_text()
    result = call("run", "e.yaml", "--limit", "1", "--log-dir", "here")
    table = result.stdout[result.stdout.index("mean [95 % interval]") :].splitlines()
    assert [line.split()[0] for line in table if " $0.0000" in line] == ["Naive", "Stuffing"]
    logs = [read_eval_log(log, header_only=True) for log in list_eval_logs("here")]
    digest = hashlib.sha256(Path("e.yaml").read_bytes()).hexdigest()
    for log in logs:
        assert log.eval.dataset.sample_ids and len(log.eval.dataset.sample_ids) == 1
        assert digest.startswith((log.eval.metadata or {})["experiment_sha256"])
    assert {log.eval.task_display_name for log in logs} == {
        "earnings_synthetic · naive_rag (top_k=2)",
        "earnings_synthetic · stuffing",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task: custom\nsystmes: a", "key 'systmes' is unknown; choose from task, systems"),
        ("- custom", "is not a mapping with a `task`"),
        ("task: [", "cannot be read"),
        ("task: custom\ninspect: --x", "inspect must be a list of words"),
    ],
)
def test_invalid_experiment_file_is_reported_in_one_line(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "e.yaml").write_text(text)
    result = call("run", str(tmp_path / "e.yaml"), code=1)
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("earlier: logs/a", {"earlier": ["logs/a"]}),
        ("parameters: top=1", {"parameters": {"top": 1}}),
        ("systems: [arag, oracle]", {"systems": "arag,oracle"}),
        ("limit: null", {}),
    ],
)
def test_experiment_value_is_read_as_on_command_line(
    line: str, read: dict[str, object], tmp_path: Path
) -> None:
    (tmp_path / "e.yaml").write_text(f"task: custom\nmodel: offline/extractive\n{line}")
    call("run", str(tmp_path / "e.yaml"), "--write", str(tmp_path / "copy.yaml"))
    copy = yaml.safe_load((tmp_path / "copy.yaml").read_text())
    assert copy == {"task": "custom", "model": "offline/extractive"} | read


@pytest.mark.parametrize("line", ["limit: 1.5", "max_dollars: yes", "epochs: [1, 2]"])
def test_experiment_number_of_wrong_type_is_rejected(line: str, tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(f"task: custom\nmodel: offline/extractive\n{line}")
    result = call("run", str(tmp_path / "e.yaml"), "--write", str(tmp_path / "copy.yaml"), code=2)
    assert "is not a valid" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_example_experiments_are_read(path: Path, tmp_path: Path) -> None:
    """Model names are not resolved, so no keys are needed."""
    call("run", str(path), "--write", str(tmp_path / "copy.yaml"))
    copy, original = (
        yaml.safe_load((tmp_path / "copy.yaml").read_text()),
        yaml.safe_load(path.read_text()),
    )
    assert copy.keys() == original.keys() and copy["log_dir"] == original["log_dir"]


@pytest.mark.parametrize(("estimate", "code"), [("true", 0), ("yes", 0), ("false", 2)])
def test_experiment_file_with_estimate_needs_no_api_key(
    estimate: str, code: int, synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    parameters = f"parameters: {{corpus: {synthetic_folder}, scorers: rouge}}"
    lines = ["task: earnings_synthetic", "systems: naive_rag", "model: openai/gpt-5", parameters]
    Path("e.yaml").write_text("\n".join([*lines, f"estimate: {estimate}"]))
    result = call("run", "e.yaml", "--limit", "1", code=code)
    assert ("cannot be used" in result.stderr) is bool(code)


@pytest.mark.parametrize("words", [("plan", "--effect", "0.5"), ("run", "--estimate")])
def test_cost_estimate_needs_no_api_key_and_names_missing_costs(
    words: tuple[str, ...], synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    Path("own.py").write_text("def ask(question):\n    return 'Revenue rose.'\n")
    command, *rest = words
    result = call(
        command, "earnings_synthetic", *rest, "--systems", "naive_rag,external", "--limit", "2",
        "--model", "anthropic/claude-sonnet-4-6", "--grader", "openai/gpt-5-mini",
        "-T", f"corpus={synthetic_folder}", "-T", "system_args={target: 'own.py:ask'}",
        )  # fmt: skip
    assert "claude-sonnet-4" in result.stdout and "gpt-5-mini" in result.stdout
    assert "external: calls no model of this run; its own cost is not estimated" in result.stdout
    assert "naive_rag: calls no model" not in result.stdout
