"""Tests of fresh installations: the core, and the documented gate example (`make test-core`)."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.serving import Request, Response, serving

if not os.environ.get("ARAG_CORE"):
    pytest.skip("make test-core runs these", allow_module_level=True)

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "github-actions-gate.yml"
CORE, FOR_EXAMPLE = (Path(os.environ[name]).absolute() for name in ("ARAG_CORE", "ARAG_EXAMPLE"))


def run_shell(env: Path, folder: Path, line: str, code: int = 0, **variables: str) -> str:
    """Run a shell line with an environment's programs and return its output."""
    prefixes = ("PYTHON", "INSPECT_", "ARAG_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    process = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", line],
        cwd=folder,
        env=inherited
        | {
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PATH": f"{env / 'bin'}:{inherited['PATH']}",
            "COLUMNS": "200",
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=240,
    )
    printed = process.stdout + process.stderr
    assert process.returncode == code, printed
    assert "Traceback" not in printed, printed
    return printed


def test_core_installation_excludes_heavy_packages() -> None:
    packages = next((CORE / "lib").glob("python3*")) / "site-packages"
    names = {path.name for path in packages.iterdir()}
    assert not names & {"torch", "faiss", "pyarrow", "pandas", "sklearn", "statsmodels"}
    files = (path for path in CORE.rglob("*") if "__pycache__" not in path.parts)
    megabytes = sum(path.lstat().st_blocks for path in files) * 512 / 2**20
    assert megabytes < 490, f"{megabytes:.0f} MB without compiled modules"


def test_doctor_names_missing_extras(tmp_path: Path) -> None:
    printed = run_shell(CORE, tmp_path, "arag-inspect doctor")
    for extra in ("retrieval", "report"):
        pattern = rf"note\s+{extra} +not installed: pip install 'arag-inspect\[{extra}\]'"
        assert re.search(pattern, " ".join(printed.split()))


HELP = """
import click
from click.testing import CliRunner
from arag_inspect.cli.main import main

def show(command, path):
    done = CliRunner().invoke(main, [*path, "--help"])
    assert done.exit_code == 0 and done.output.startswith("Usage"), (path, done.output)
    if not hasattr(command, "list_commands"):
        return 0
    commands = command.list_commands(click.Context(command))
    for name in commands:
        show(command.get_command(click.Context(command), name), [*path, name])
    return len(commands)

print(show(main, []), "commands")
"""


def test_help_of_every_command_runs_in_core_installation(tmp_path: Path) -> None:
    printed = run_shell(CORE, tmp_path, f"python -c '{HELP}'")
    assert int(printed.split()[-2]) > 10


SUITE = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate
from arag_inspect.scorers import factual_consistency, rouge

@task
def suite():
    report = (
        "Acme Corp. reported revenue of $4.2 billion for the third quarter of 2021, up 7% on a "
        "year ago, and expects more of the same."
    )
    sample = Sample(id=1, input="Summarize the report. " + report, target=report)
    scorer = [rouge(), factual_consistency(judge=False, context="input")]
    return Task(dataset=[sample], solver=generate(), scorer=scorer)
"""


def mean(folder: Path, name: str) -> float:
    """Return the mean of a score in the folder's log."""
    (info,) = list_eval_logs(str(folder / "logs"))
    log = read_eval_log(info.name, header_only=True)
    assert log.status == "success" and log.results
    (score,) = (score for score in log.results.scores if score.name == name)
    return float(score.metrics["mean"].value)


def test_scorer_runs_in_foreign_suite(tmp_path: Path) -> None:
    (tmp_path / "suite.py").write_text(SUITE)
    run_shell(CORE, tmp_path, "inspect eval suite.py --model offline/extractive --display none")
    assert mean(tmp_path, "rouge1") > 0


@pytest.mark.parametrize("system", ["stuffing", "closed_book"])
def test_systems_without_retrieval_run_in_core_installation(
    tmp_path: Path, synthetic_folder: Path, system: str
) -> None:
    run_shell(
        CORE,
        tmp_path,
        f"inspect eval arag_inspect/earnings_synthetic -T system={system} -T scorers=no_grader "
        f"-T corpus={synthetic_folder} --model offline/extractive --limit 2 --display none",
    )
    assert (mean(tmp_path, "rouge1") > 0.3) == (system == "stuffing")


def judge(request: Request) -> Response:
    """Reply through the Responses API, following the request's schema."""
    body = json.loads(request.body)
    text = json.dumps(minimal_value(body["text"]["format"]["schema"]))
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    reply = {
        **{"id": "r", "object": "response", "created_at": 1, "model": body["model"]},
        **{"status": "completed", "tools": [], "tool_choice": "auto"},
        "output": [{**message, "content": [part]}],
        "parallel_tool_calls": True,
        "usage": {
            **{"input_tokens": 1000, "output_tokens": 10, "total_tokens": 1010},
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }
    return Response(200, json.dumps(reply).encode(), {"Content-Type": "application/json"})


def minimal_value(schema: dict[str, Any]) -> Any:
    """Return a minimal value that a JSON schema allows."""
    if "anyOf" in schema:
        return minimal_value(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: minimal_value(part) for name, part in schema.get("properties", {}).items()}
    if "name" in schema.get("items", {}).get("properties", {}):  # a judge's criteria
        return [{**minimal_value(schema["items"]), "name": f"Part {number}"} for number in range(5)]
    values = {"integer": schema.get("minimum", 1), "number": 1.0, "string": "so", "boolean": False}
    return values.get(schema.get("type", ""), [])


SERVICE = """
async def ask(question, metadata, corpus):
    chunk, *_ = corpus.document_chunks(metadata["doc_ids"] or corpus.doc_ids)
    return {"text": chunk.text, "passages": [chunk.text]}
"""


def test_gate_example_workflow_steps_run(tmp_path: Path) -> None:
    workflow = yaml.safe_load(EXAMPLE.read_text())
    steps = workflow["jobs"]["gate"]["steps"]
    install, prepare, run, download, gate = (step["run"] for step in steps if "run" in step)
    assert "pip install" in install and "logs/new" in run and "--dir logs/base" in download
    uploads = [step["with"] for step in steps if "upload" in step.get("uses", "")]
    assert uploads[0]["path"] == "logs/new" and f"--name {uploads[0]['name']}" in download
    assert f"--workflow {workflow['name']} " in download
    (tmp_path / "rag.py").write_text(SERVICE)
    (tmp_path / "eval" / "documents").mkdir(parents=True)
    rows = ["id,question,answer,doc_ids"]
    for number in range(1, 7):
        text = f"Firm {number} reported revenue of {number}7 million dollars for the year.\n"
        (tmp_path / "eval" / "documents" / f"firm{number}.txt").write_text(text)
        rows.append(f"q{number},What was the revenue?,{number}7 million dollars,firm{number}.txt")
    (tmp_path / "eval" / "questions.csv").write_text("\n".join(rows))
    env = {name: value for step in steps for name, value in step.get("env", {}).items()}
    env = {name: "key" if "${{" in value else value for name, value in env.items()}
    env |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "HF_HUB_OFFLINE": "1"}
    with serving(judge) as url:
        env["OPENAI_BASE_URL"] = f"{url}/v1"
        for folder in ("logs/base", "logs/new"):  # each in a fresh checkout
            shutil.rmtree(tmp_path / "datasets", ignore_errors=True)
            run_shell(FOR_EXAMPLE, tmp_path, prepare, **env)
            run_shell(FOR_EXAMPLE, tmp_path, run.replace("logs/new", folder), **env)
    printed = run_shell(FOR_EXAMPLE, tmp_path, gate, **env)
    summary = (tmp_path / "summary.md").read_text()
    assert summary.count(" kept |") == 2 and (tmp_path / "gate.xml").exists(), printed
