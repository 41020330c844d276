"""Tests of options passed to Inspect after `--`, and of parameters of `inspect score`."""

import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import BatchConfig

from arag_inspect._util.errors import InputError
from arag_inspect.cli._inspect_options import parse_inspect_options


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("", {}),
        ("--max-connections 20 --max-tasks=4", {"max_connections": 20, "max_tasks": 4}),
        ("--batch -M timeout=60 -M region=eu",
         {"batch": True, "model_args": {"timeout": 60, "region": "eu"}}),
        ("-M api_key=sk-1a2b3c4d5 -M max_tokens=9",
         {"model_args": {"api_key": "sk-1a2b3c4d5", "max_tokens": 9}}),
        ("--cost-limit 2.5 --no-log-images", {"cost_limit": 2.5, "log_images": False}),
        ("--tags a,b", {"tags": ["a", "b"]}),
        ("--model-role summarizer=m/x --seed -1",
         {"model_roles": {"summarizer": "m/x"}, "seed": -1}),
        ("--model-cost-config prices.yaml --retry-on-error 2",
         {"model_cost_config": "prices.yaml", "retry_on_error": 2}),
    ],
)  # fmt: skip
def test_inspect_options_become_eval_set_arguments(line: str, arguments: dict[str, Any]) -> None:
    assert parse_inspect_options(line.split()) == arguments


def test_batch_option_reads_file(tmp_path: Path) -> None:
    file = tmp_path / "batch.yaml"
    file.write_text("size: 20\nmax_batches: 3\n", encoding="utf-8")
    options = parse_inspect_options(["--batch", str(file)])
    assert options == {"batch": BatchConfig(size=20, max_batches=3)}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--nonsense 3", "--nonsense after -- is not an option of inspect eval-set"),
        ("extra", "'extra' is unexpected after --; options of Inspect begin with -"),
        ("--model m/x", "--model is set by this command; leave it out after --"),
        ("--max-samples many", "--max-samples: Input should be a valid integer"),
        ("-M timeout", "-M 'timeout' is not NAME=VALUE"),
        ("-M client_secret=x1y2z3w4",
         "the value of client_secret in -M would be written to the log"),
        ('-M default_headers={"x-api-key":"x1y2z3w4"}', "the value of x-api-key in -M would be"),
        ("--metadata access_token=x1y2z3w4", "the value of access_token in --metadata would be"),
    ],
)  # fmt: skip
def test_invalid_inspect_options_are_reported_in_one_line(line: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_inspect_options(line.split())
    assert message in raised.value.message and "\n" not in raised.value.message


(_INSPECT,) = entry_points(group="console_scripts", name="inspect")


@pytest.mark.parametrize(
    ("scorer", "parameter", "message"),
    [
        ("fact_match", "profile=nope", "'nope' is not one of the built-in profiles"),
        ("fact_match", "profile=own.json", "own.json: tolerance: Extra inputs are not permitted"),
        ("fact_match", "nope=1", "scorer fact_match has no parameter 'nope'; choose from profile"),
        ("geval", "scale=1-5", "scale must be two whole numbers"),
        ("rouge", "nope=1", "scorer rouge has no parameter 'nope'"),
    ],
)
def test_invalid_scorer_parameter_is_reported_in_one_line(
    logs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    scorer: str,
    parameter: str,
    message: str,
) -> None:
    Path("own.json").write_text('{"tolerance": 1}')
    task = Task(dataset=[Sample(input="Why?", target="So.")])
    (log,) = eval(task, model="mockllm/model", display="none", log_dir=str(logs))
    line = ["score", log.location, "--scorer", f"arag_inspect/{scorer}", "-S", parameter]
    monkeypatch.setattr(sys, "argv", ["inspect", *line])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # Inspect sets its own
    with pytest.raises(SystemExit) as ended:
        _INSPECT.load()()
    printed = capsys.readouterr().err.strip()
    assert ended.value.code == 1
    assert printed.startswith("Error: ") and message in printed and "\n" not in printed
