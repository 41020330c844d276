"""Tests of the Anthropic provider against a local Messages API."""

import json
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import BatchConfig, GenerateConfig, get_model

from tests.faulty import FaultyAPI
from tests.logs import samples_of
from tests.scripted import scores, summarized, trace_of
from tests.serving import Request, Response, as_json, serving

pytestmark = pytest.mark.usefixtures("logs")
MODEL = "claude-sonnet-4-6"


class MessagesAPI(FaultyAPI):
    """Replies as the Messages API does, including batches."""

    def __init__(self, loops: int = 3) -> None:
        super().__init__(0, loops=loops)
        self.requests: list[dict[str, Any]] = []
        self.batched: list[list[dict[str, Any]]] = []

    def __call__(self, request: Request) -> Response:
        if request.path.startswith("/v1/messages/batches"):
            return self._batch(request)
        if not request.path.startswith("/v1/messages/count_tokens"):
            self.requests.append(json.loads(request.body))
        return super().__call__(request)

    def _batch(self, request: Request) -> Response:
        """Return a batch that ends immediately."""
        if request.path.endswith("/results"):
            lines = "\n".join(json.dumps(one) for one in self.batched[-1])
            return Response(200, lines.encode(), {"Content-Type": "application/x-jsonl"})
        if request.method == "POST":
            asked = json.loads(request.body)["requests"]
            self.requests += [one["params"] for one in asked]
            results = [
                {"type": "succeeded", "message": self._message(one["params"])} for one in asked
            ]
            self.batched.append(
                [
                    {"custom_id": one["custom_id"], "result": result}
                    for one, result in zip(asked, results, strict=True)
                ]
            )
        when = "2026-01-01T00:00:00Z"
        counts = {"processing": 0, "succeeded": 1, "errored": 0, "canceled": 0, "expired": 0}
        batch = {
            "id": "batch_1", "type": "message_batch", "processing_status": "ended",
            "request_counts": counts, "created_at": when, "expires_at": when, "ended_at": when,
            "archived_at": None, "cancel_initiated_at": None,
            "results_url": f"http://{request.headers['host']}/v1/messages/batches/batch_1/results",
        }  # fmt: skip
        return as_json(batch)


def run(folder: Path, api: MessagesAPI, system: str, **options: Any) -> EvalLog:
    with serving(api) as url:
        model = get_model(f"anthropic/{MODEL}", base_url=url, api_key="none", memoize=False)
        own = {"max_loops": options.pop("max_loops", 22)} if system == "arag" else {}
        return summarized(folder, model, system, scorers="no_grader", system_args=own, **options)


def test_agent_calls_tools_and_records_cost(synthetic_folder: Path) -> None:
    api = MessagesAPI()
    log = run(synthetic_folder, api, "arag")
    trace = trace_of(log)
    assert log.status == "success" and (trace.loops, trace.stopped_by) == (4, "answer")
    assert [s.tool for s in trace.searches] == ["semantic_search"] * 2
    assert [p.chunk_id for p in trace.passages] == [1]
    token_count = sum(one.input_tokens + one.written + one.read for one in api.asked)
    assert trace.input_tokens == token_count and any(one.written and one.read for one in api.asked)
    assert trace.cost_usd == pytest.approx(api.dollars())
    tools = {tool["name"]: tool for tool in api.requests[0]["tools"]}
    assert set(tools) == {"keyword_search", "semantic_search", "chunk_read"}
    schema = tools["keyword_search"]["input_schema"]
    optional = ["top_k", "offset", "company", "period"]
    assert schema["required"] == ["keywords", *optional]
    forms = {
        name: [form["type"] for form in schema["properties"][name]["anyOf"]]
        for name in ("keywords", "top_k")
    }
    assert forms == {"keywords": ["array", "string"], "top_k": ["integer", "string", "null"]}
    assert samples_of(log)[0].output.completion.startswith("Revenue grew in the quarter")


def test_agent_answers_without_tools_after_loop_limit(synthetic_folder: Path) -> None:
    api = MessagesAPI()
    log = run(synthetic_folder, api, "arag", max_loops=2)
    trace = trace_of(log)
    assert log.status == "success" and (trace.loops, trace.stopped_by) == (2, "max_loops")
    last = api.requests[-1]
    assert last["tools"] and last.get("tool_choice", {}).get("type") in ("none", None)
    assert samples_of(log)[0].output.completion.startswith("Revenue grew in the quarter")


BATCH = BatchConfig(size=1, send_delay=0.05, tick=0.05)


def test_batch_mode_halves_price_and_leaves_latency_unscored(synthetic_folder: Path) -> None:
    api = MessagesAPI()
    log = run(synthetic_folder, api, "naive_rag", batch=BATCH)
    trace, (asked,) = trace_of(log), api.asked
    assert log.status == "success" and len(api.batched) == 1
    assert trace.cost_usd == pytest.approx(api.dollars() / 2)
    assert (trace.input_tokens, trace.latency_ms) == (asked.input_tokens, None)
    (effort,) = scores(log, "efficiency")
    assert isnan(effort["latency_ms"])


def test_judge_in_batch_mode_is_billed_at_half_price(synthetic_folder: Path) -> None:
    api, own = MessagesAPI(), GenerateConfig(batch=BATCH)
    with serving(api) as url:
        grader = get_model(f"anthropic/{MODEL}", base_url=url, api_key="none", config=own)
        judged: Any = {"scorers": "severity_judge", "model_roles": {"grader": grader}}
        log = summarized(synthetic_folder, "offline/extractive", "naive_rag", **judged)
    assert log.samples and log.samples[0].scores and len(api.batched) == 2  # retried once
    verdict = (log.samples[0].scores["severity_judge"].metadata or {})["judges"][0]
    assert verdict["cost_usd"] == pytest.approx(api.dollars() / 2)
