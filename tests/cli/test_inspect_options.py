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
from tests.tables import tables_beside

TABLES = tables_beside(__file__)


@pytest.mark.parametrize(("line", "arguments"), TABLES["arguments"])
def test_inspect_options_become_eval_set_arguments(line: str, arguments: dict[str, Any]) -> None:
    assert parse_inspect_options(line.split()) == arguments


def test_batch_option_reads_file(tmp_path: Path) -> None:
    file = tmp_path / "batch.yaml"
    file.write_text("size: 20\nmax_batches: 3\n", encoding="utf-8")
    options = parse_inspect_options(["--batch", str(file)])
    assert options == {"batch": BatchConfig(size=20, max_batches=3)}


@pytest.mark.parametrize(("line", "message"), TABLES["invalid"])
def test_invalid_inspect_options_are_reported_in_one_line(line: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_inspect_options(line.split())
    assert message in raised.value.message and "\n" not in raised.value.message


(_INSPECT,) = entry_points(group="console_scripts", name="inspect")


@pytest.mark.parametrize(("scorer", "parameter", "message"), TABLES["invalid scorer parameters"])
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
