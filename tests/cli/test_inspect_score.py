"""`inspect score` with this package's scorers, as typed."""

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample

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
def test_a_wrong_parameter_is_named_in_one_line(
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
    shown = capsys.readouterr().err.strip()
    assert ended.value.code == 1
    assert shown.startswith("Error: ") and message in shown and "\n" not in shown
