"""Tests of `run --estimate` and `--max-dollars` against a scripted Messages API's charges."""

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from inspect_ai.event import ModelEvent
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage

from arag_inspect._util.errors import InputError
from arag_inspect.models import spending
from arag_inspect.run.api import estimate_cost
from arag_inspect.run.planning.cost_estimate import CostLine, total
from arag_inspect.run.planning.cost_text import cost_text
from arag_inspect.run.planning.extrapolation import Amount
from tests import estimates
from tests.commands import call
from tests.logs import samples_of
from tests.report import material

pytestmark = pytest.mark.usefixtures("logs")
SONNET = "anthropic/claude-sonnet-4-6"
HAIKU = "anthropic/claude-haiku-4-5-20251001"


@pytest.fixture(scope="module")
def api() -> Iterator[estimates.Replies]:
    """One server for all tests, because Inspect caches a model with its address."""
    with estimates.messages_api(replies := estimates.Replies()):
        yield replies


def _run(folder: Path, *more: str, code: int = 0) -> Result:
    line = f"run earnings_synthetic -T corpus={folder} --model {SONNET} --grader {HAIKU},{SONNET}"
    line += " --limit 2 --log-dir logs/run"
    return call(line, *more, code=code, INSPECT_DISPLAY="none")


def test_estimate_matches_cost_of_systems_and_judges(
    api: estimates.Replies, synthetic_folder: Path, cache: Path
) -> None:
    api.turns, api.chunks = (7,), 2  # like the dry run: its chunks are half the usual size
    estimated = estimates.estimate_runs(str(synthetic_folder), "logs/all", 1)
    assert len(estimated) == 9
    spent = sum(one.spent for one in estimated)
    assert sum(one.estimate.mean for one in estimated) == pytest.approx(spent, rel=0.25)
    systems = [one for one in estimated if one.model == SONNET and "judge" not in one.who]
    for system in systems:
        assert system.estimate.low <= system.spent <= system.estimate.high, system
    for model in (HAIKU, SONNET):  # the first system to be judged pays for the criteria
        judging = [one for one in estimated if one.model == model and "judge" in one.who]
        low, high = (sum(getattr(one.estimate, end) for one in judging) for end in ("low", "high"))
        assert low <= sum(one.spent for one in judging) <= high, judging
    agent = estimated[0]
    assert agent.who == "arag" and agent.estimate.mean == pytest.approx(agent.spent, rel=0.25)


def test_estimate_uses_calls_of_earlier_logs(
    api: estimates.Replies, synthetic_folder: Path
) -> None:
    api.turns = (14,)
    folder = str(synthetic_folder)
    spent = estimates.spend(folder, "logs/earlier", 1, ["arag"])
    judged: Any = ("earnings_synthetic", ["arag"], [SONNET], [HAIKU, SONNET])
    own: Any = {"parameters": {"corpus": folder}, "earlier": ["logs/earlier"]}
    lines = estimate_cost(*judged, limit=1, **own)
    assert lines[0].calls.mean == 15 and lines[0].source == "1 samples of earlier logs"
    for line in lines:
        assert line.dollars is not None
        assert line.dollars.mean == pytest.approx(spent["arag", line.model, line.judge])


@pytest.mark.parametrize(
    "usage", [{"input_tokens": -5}, {"output_tokens": -1}, {"input_tokens_cache_read": -(10**12)}]
)
def test_estimate_rejects_earlier_log_with_negative_tokens(
    tmp_path: Path, usage: dict[str, int]
) -> None:
    output = ModelOutput.from_content("m", "Sales rose.")
    output.usage = ModelUsage(**usage)
    event = ModelEvent(
        model="m", input=[], tools=[], tool_choice="auto", config=GenerateConfig(), output=output
    )
    sample = material.sample(0, {}).model_copy(update={"events": [event]})
    folder = material.write(tmp_path, material.log([sample]))
    with pytest.raises(InputError, match=r"earlier log .* a call of fewer than 0 tokens"):
        estimate_cost("earnings_synthetic", ["arag"], [SONNET], earlier=[str(folder)])


def test_estimate_counts_judge_criteria_once(
    synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path))
    own = {"corpus": str(synthetic_folder), "scorers": "geval_coverage"}
    counts = [
        [line.calls.mean for line in estimate_cost(
            "earnings_synthetic", ["closed_book"], [SONNET], [HAIKU], samples=50, parameters=own
        )]
        for _ in range(2)
    ]  # fmt: skip
    assert counts == [[50, 51], [50, 50]]  # the first sample is reused in the second run


def test_estimate_makes_no_paid_call(api: estimates.Replies, synthetic_folder: Path) -> None:
    result = _run(synthetic_folder, "--estimate", "--systems", "naive_rag")
    assert all(len(line) <= 80 for line in result.output.splitlines())
    assert "naive_rag: 2 samples of a dry run" in result.output
    assert not Path("logs").exists()


def test_run_stops_at_dollar_limit_and_resumes(
    api: estimates.Replies,
    synthetic_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even if the process ignores interrupts and the first one is lost."""
    sent: list[int] = []
    raise_signal = signal.raise_signal

    def press(number: int) -> None:
        sent.append(number)
        if len(sent) > 1:
            raise_signal(number)

    monkeypatch.setattr(signal, "raise_signal", press)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # like a shell's background jobs
    monkeypatch.setattr(spending, "_INTERRUPT_INTERVAL", 0.5)
    api.turns = (19, 20)  # far more than the dry run expects
    task = ("--systems", "arag", "-T", "scorers=severity_judge")
    judged: Any = ("earnings_synthetic", ["arag"], [SONNET], [HAIKU, SONNET])
    task_parameters = {"corpus": str(synthetic_folder), "scorers": "severity_judge"}
    summed = total(estimate_cost(*judged, limit=2, parameters=task_parameters))
    assert summed is not None
    most = round(summed.mean * 1.05, 3)
    serial = ("--", "--max-samples", "1")
    result = _run(synthetic_folder, *task, "--max-dollars", str(most), *serial, code=1)
    assert signal.signal(signal.SIGINT, before) == signal.SIG_IGN
    assert f"of --max-dollars {most:g}; finished work is kept" in result.output
    assert _spent() <= most and len(sent) > 1
    _run(synthetic_folder, *task, *serial)
    (log,) = [read_eval_log(one.name) for one in list_eval_logs("logs/run")][-1:]
    assert log.status == "success" and len(samples_of(log)) == 2


def _spent() -> float:
    return sum(
        event.output.usage.total_cost or 0.0
        for one in list_eval_logs("logs/run")
        for sample in samples_of(read_eval_log(one.name))
        for event in sample.events
        if event.event == "model" and event.output.usage
    )


def test_dollar_limit_is_rejected_for_model_without_price(synthetic_folder: Path) -> None:
    free = ("--model", "mockllm/model", "--grader", "mockllm/model")
    result = _run(synthetic_folder, "--systems", "closed_book", *free, "--max-dollars", "1", code=1)
    assert "mockllm/model has no known price" in result.output
    assert re.search(r"^ closed_book +2 .* - +- +-$", result.output, re.MULTILINE)


def test_estimate_of_long_names_and_large_sums_fits_80_columns_in_one_table() -> None:
    count = Amount(1, 1_234_567, 9_876_543)
    dollars = Amount(1_234.56, 12_345.67, 98_765.43)
    model = "anthropic/claude-sonnet-4-5-20250929"
    lines = [
        CostLine("a_system_of_ours", model, judge, count, count, count, dollars, "a dry run")
        for judge in (False, True)
    ]
    text = cost_text(lines)
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("calls") == 1 and "claude-sonnet-4-5-20250929" in text
    total_row = next(line for line in text.splitlines() if line.split()[:1] == ["all"])
    assert total_row.count(f"{2 * round(count.mean):,}") == 3


def test_estimate_without_model_calls_names_what_is_not_estimated() -> None:
    text = cost_text([], ["external"])
    assert text == "external: calls no model of this run; its own cost is not estimated"


def test_estimate_uses_prices_from_model_cost_config(
    synthetic_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dollar_a_token = {"input": 1e6, "output": 0, "input_cache_write": 0, "input_cache_read": 0}
    Path("prices.yaml").write_text(json.dumps({"mockllm/priced": dollar_a_token}))
    own = ("--systems", "closed_book", "--model", "mockllm/priced", "--grader", "mockllm/priced")
    prices = ("--", "--model-cost-config", "prices.yaml")
    result = _run(synthetic_folder, *own, "--max-dollars", "1", *prices, code=1)
    rows = [re.split(r" {2,}", line.strip()) for line in result.output.splitlines()]
    rows = [row for row in rows if row[0] in ("closed_book", "its judge")]
    assert len(rows) == 2, result.output
    for row in rows:
        sent, usd = (float(re.sub(r"[$,]", "", row[place])) for place in (2, 4))
        assert 0 < usd == pytest.approx(sent, rel=0.05)
    assert "mockllm/priced has no known price" not in caplog.text
    assert "more than --max-dollars 1; nothing was spent" in result.output
    result = _run(synthetic_folder, *own, "--", "--model-cost-config", "none.yaml", code=1)
    assert "prices none.yaml cannot be read" in result.output
    assert not Path("logs").exists()
