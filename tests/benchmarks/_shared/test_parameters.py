"""Tests of task parameters as passed by Inspect and `arag-inspect run`."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import eval
from inspect_ai.log import HeadlineMetric

from arag_inspect import tasks
from arag_inspect._util.errors import InputError
from arag_inspect.cli.main import main
from arag_inspect.run.api import run_systems
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

OFFLINE = "offline/extractive"


@pytest.mark.parametrize("name", tasks.__all__)
def test_every_task_rejects_unknown_parameter(name: str) -> None:
    message = rf"^task {name} has no parameter 'chunk_k'; choose from .*"
    with pytest.raises(InputError, match=message) as raised:
        eval(f"arag_inspect/{name}", task_args={"chunk_k": 3}, model=OFFLINE)
    assert "unknown" not in str(raised.value)


def test_run_systems_passes_each_system_only_its_own_parameters(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    logs_by_system = run_systems(
        "earnings_synthetic",
        ["naive_rag", "stuffing"],
        [OFFLINE],
        log_dir=str(tmp_path),
        limit=1,
        parameters={
            "corpus": str(synthetic_folder),
            "scorers": "efficiency",
            "system_args": {"top_k": 2, "max_tokens": 50_000},
        },
        display="none",
    )
    steps = [step for log in logs_by_system.logs for step in log.plan.steps]
    params = {step.solver.split("/")[-1]: step.params for step in steps}
    assert logs_by_system.complete and params["naive_rag"]["top_k"] == 2
    assert params["stuffing"]["max_tokens"] == 50_000
    about = {log.eval.task_display_name: log.eval for log in logs_by_system.logs}
    corpus = logs_by_system.logs[0].eval.dataset.name
    naive = about["earnings_synthetic · naive_rag (top_k=2)"]
    assert sorted(naive.tags or []) == ["naive_rag", corpus]
    eval_ = about["earnings_synthetic · stuffing (max_tokens=50000)"]
    assert str(eval_.task_description).startswith("Summaries of synthetic earnings calls")
    assert eval_.headline_metric == HeadlineMetric(
        scorer="efficiency", score="cost_usd", metric="mean"
    )
    results = logs_by_system.logs[0].results
    names = {name for score in (results.scores if results else []) for name in score.metrics}
    assert names == {"mean", "p50", "p90"}


@pytest.mark.parametrize(("parameter", "message"), TABLES["bad parameters"])
def test_run_reports_bad_parameter_in_one_line(parameter: str, message: str) -> None:
    systems = "arag,stuffing" if "nope" in parameter else "naive_rag"
    line = ["run", "ectsum", "--systems", systems, "--model", OFFLINE, "-T", parameter]
    result = CliRunner().invoke(main, line)
    assert result.exit_code == 1 and message in result.stderr
    assert len(result.stderr.splitlines()) == 1
