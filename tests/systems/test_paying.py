"""Tests that a trace's costs match Inspect's, however a sample ends."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import (
    ModelCost,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    get_model,
    set_model_info,
)

from arag_inspect.types.trace import RetrievalTrace
from tests.scripted import Reply, Script, scripted, summarized, trace_of

pytestmark = pytest.mark.usefixtures("logs")

SEARCH: Reply = ("keyword_search", {"keywords": ["margin"]})
SHORT: Reply = ("chunk_summarize", {"chunk_ids": [0]})
USAGE = {
    "input_tokens": 1000,
    "output_tokens": 100,
    "input_tokens_cache_write": 200,
    "input_tokens_cache_read": 300,
    "total_tokens": 1600,
}
CALL = (1000 * 3 + 100 * 15 + 200 * 3.75 + 300 * 0.30) / 1e6


@pytest.fixture(autouse=True)
def price() -> Any:
    """Set a price for the scripted model, removed afterwards."""
    cost = ModelCost(input=3.00, output=15.00, input_cache_write=3.75, input_cache_read=0.30)
    set_model_info("model", ModelInfo(cost=cost))
    yield
    set_model_info("model", ModelInfo())


class Ending(Script):
    """A script whose call number `at` ends differently."""

    def __init__(self, at: int, how: str) -> None:
        super().__init__(SEARCH, usage=USAGE)
        self._at, self._how = at, how

    def __call__(self, *asked: Any) -> ModelOutput:
        output = super().__call__(*asked)
        if len(self.asked) != self._at:
            return output
        if self._how == "error":
            raise RuntimeError("the provider is gone")
        if self._how == "overflow":
            raise RuntimeError("exceeds the maximum context length")
        output = ModelOutput.from_content("mockllm", "I cannot.", stop_reason="content_filter")
        output.usage = ModelUsage(**USAGE)
        return output


def ended(
    folder: Path, script: Script, system: str = "arag", **options: Any
) -> tuple[EvalSample, RetrievalTrace]:
    names = options.keys() & {"max_loops", "tools"}
    task_options = {name: options.pop(name) for name in names}
    log = summarized(folder, scripted(script), system, system_args=task_options, **options)
    assert log.samples
    return log.samples[0], trace_of(log)


def check_sums(sample: EvalSample, trace: RetrievalTrace, calls: int) -> None:
    usages = list(sample.model_usage.values())
    cached = [(u.input_tokens_cache_read or 0) + (u.input_tokens_cache_write or 0) for u in usages]
    assert trace.input_tokens == sum(u.input_tokens for u in usages) + sum(cached) == calls * 1500
    assert trace.output_tokens == sum(u.output_tokens for u in usages) == calls * 100
    assert trace.cost_usd == pytest.approx(sum(u.total_cost or 0 for u in usages))
    assert trace.cost_usd == pytest.approx(calls * CALL)


def test_costs_match_inspect_usage_for_agent_answer(synthetic_folder: Path) -> None:
    script = Script(SEARCH, SEARCH, "Sales rose.", usage=USAGE)
    sample, trace = ended(synthetic_folder, script)
    check_sums(sample, trace, 3)
    assert (trace.loops, trace.stopped_by) == (3, "answer")


@pytest.mark.parametrize("system", ["naive_rag", "stuffing", "closed_book"])
def test_costs_match_inspect_usage_for_single_call(synthetic_folder: Path, system: str) -> None:
    sample, trace = ended(synthetic_folder, Script("Sales rose.", usage=USAGE), system=system)
    check_sums(sample, trace, 1)


def test_costs_include_forced_answer_at_loop_limit(synthetic_folder: Path) -> None:
    script = Script(SEARCH, SEARCH, "Sales rose.", usage=USAGE)
    sample, trace = ended(synthetic_folder, script, max_loops=2)
    check_sums(sample, trace, 3)
    assert trace.stopped_by == "max_loops"


@pytest.mark.parametrize(
    "limit",
    [{"token_limit": 4000}, {"cost_limit": 2.5 * CALL}, {"message_limit": 7}],
    ids=["tokens", "dollars", "messages"],
)
def test_costs_match_inspect_usage_at_inspect_limit(
    synthetic_folder: Path, limit: dict[str, Any]
) -> None:
    sample, trace = ended(synthetic_folder, Script(SEARCH, usage=USAGE), **limit)
    assert sample.limit and sample.error is None
    check_sums(sample, trace, 3)  # including the call that crossed it
    assert trace.loops == 3


def test_costs_match_inspect_usage_at_token_limit_of_single_call(synthetic_folder: Path) -> None:
    script = Script("Sales rose.", usage=USAGE)
    sample, trace = ended(synthetic_folder, script, system="naive_rag", token_limit=100)
    assert sample.limit and sample.limit.type == "token"
    check_sums(sample, trace, 1)
    assert trace.loops == 1


def test_costs_include_summarizer_call_crossing_limit(synthetic_folder: Path) -> None:
    summarizer = get_model(
        "mockllm/model", custom_outputs=Script("In short.", usage=USAGE), memoize=False
    )
    sample, trace = ended(
        synthetic_folder,
        Script(SHORT, usage=USAGE),
        tools="keyword_search,chunk_summarize",
        token_limit=3000,
        model_roles={"summarizer": summarizer},
    )
    assert sample.limit
    check_sums(sample, trace, 2)


@pytest.mark.parametrize(("how", "calls"), [("refusal", 3), ("error", 2), ("overflow", 3)], ids=str)
def test_costs_match_inspect_usage_after_refusal_error_or_overflow(
    synthetic_folder: Path, how: str, calls: int
) -> None:
    # after an overflow, one more call answers from what was read
    sample, trace = ended(synthetic_folder, Ending(3, how), fail_on_error=False)
    check_sums(sample, trace, calls)
    assert bool(sample.error) == (how == "error")


def test_cached_call_keeps_price_but_has_no_latency(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))

    for cached in (False, True):
        script = Script("Sales rose.", usage=USAGE)
        model = get_model("mockllm/model", custom_outputs=script, memoize=False)
        log = summarized(synthetic_folder, model, "closed_book", cache=True)
        trace = trace_of(log)
        assert log.samples
        assert trace.cost_usd == pytest.approx(CALL) and trace.input_tokens == 1500
        assert trace.cached_usd == pytest.approx(CALL * cached) and trace.cached_calls == cached
        assert (trace.latency_ms is None) == cached
        assert bool(log.samples[0].model_usage) != cached


def test_model_without_price_is_reported_once(
    synthetic_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    set_model_info("unheard", ModelInfo())
    model = get_model("mockllm/unheard", custom_outputs=Script("Rose.", usage=USAGE))
    log = summarized(synthetic_folder, model, "closed_book", limit=2)
    assert log.samples and all(s.store_as(RetrievalTrace).cost_usd is None for s in log.samples)
    messages = [record.message for record in caplog.records if "no known price" in record.message]
    assert len(messages) == 1 and "mockllm/unheard has no known price" in messages[0]
