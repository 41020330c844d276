"""The Anthropic provider against a local server that speaks the Messages API, faults included."""

import json
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog
from inspect_ai.model import BatchConfig, GenerateConfig, get_model

from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.serving import Request, Response, as_error, as_json, as_reply, message, serving

pytestmark = pytest.mark.usefixtures("logs")
MODEL = "claude-sonnet-4-6"


class MessagesAPI:
    """Answers as the Messages API does: first tool calls where tools are offered, then text."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.batched: list[list[dict[str, Any]]] = []

    def __call__(self, request: Request) -> Response:
        if not request.path.startswith("/v1/messages"):
            return as_error(404, "not_found_error", "?")
        if request.path.startswith("/v1/messages/batches"):
            return self._batch(request)
        body = json.loads(request.body)
        if request.path.startswith("/v1/messages/count_tokens"):
            return as_json({"input_tokens": 10})
        self.requests.append(body)
        return as_reply(body, self._message(body))

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        blocks = [
            b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]
        ]
        results = [block for block in blocks if block["type"] == "tool_result"]
        may_call = body.get("tools") and body.get("tool_choice", {}).get("type") != "none"
        script = [
            ("keyword_search", {"keywords": ["revenue"], "top_k": 2}),
            ("semantic_search", {"query": "outlook"}),
            ("chunk_read", {"chunk_ids": [0, 1]}),
        ]
        content: list[dict[str, Any]] = [{"type": "text", "text": "Revenue grew in the quarter."}]
        if may_call and len(results) < len(script):
            name, arguments = script[len(results)]
            call = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": name}
            content = [{"type": "text", "text": "Let me look."}, {**call, "input": arguments}]
        return message(
            MODEL,
            content,
            input_tokens=1000,
            output_tokens=100,
            cache_creation_input_tokens=200,
            cache_read_input_tokens=300,
        )

    def _batch(self, request: Request) -> Response:
        """A batch that ends at once."""
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


def run(
    folder: Path, api: MessagesAPI, system: str, max_loops: int = 22, **options: Any
) -> EvalLog:
    with serving(api) as url:
        model = get_model(f"anthropic/{MODEL}", base_url=url, api_key="none")
        system_args = {"max_loops": max_loops} if system == "arag" else None
        task = earnings_synthetic(
            corpus=str(folder), scorers="no_grader", system=system, system_args=system_args
        )
        return eval(task, model=model, limit=1, display="none", **options)[0]


COST = (1000 * 3 + 100 * 15 + 200 * 3.75 + 300 * 0.30) / 1e6


def test_agent_calls_tools_and_counts_cost(synthetic_folder: Path) -> None:
    api = MessagesAPI()
    log = run(synthetic_folder, api, "arag")
    assert log.status == "success" and log.samples
    trace = log.samples[0].store_as(RetrievalTrace)
    assert (trace.loops, trace.stopped_by) == (4, "answer")
    assert [s.tool for s in trace.searches] == ["keyword_search", "semantic_search"]
    assert [p.chunk_id for p in trace.passages] == [0, 1]
    assert (trace.input_tokens, trace.output_tokens) == (4 * 1500, 400)
    assert trace.cost_usd == pytest.approx(4 * COST)
    tools = {tool["name"]: tool for tool in api.requests[0]["tools"]}
    assert set(tools) == {"keyword_search", "semantic_search", "chunk_read"}
    schema = tools["keyword_search"]["input_schema"]
    assert schema["required"] == ["keywords"]
    forms = {
        name: [form["type"] for form in schema["properties"][name]["anyOf"]]
        for name in ("keywords", "top_k")
    }
    assert forms == {"keywords": ["array", "string"], "top_k": ["integer", "string"]}
    assert log.samples[0].output.completion == "Revenue grew in the quarter."


def test_limit_is_followed_by_a_call_that_may_not_use_tools(synthetic_folder: Path) -> None:
    api = MessagesAPI()
    log = run(synthetic_folder, api, "arag", max_loops=2)
    assert log.status == "success" and log.samples
    trace = log.samples[0].store_as(RetrievalTrace)
    assert (trace.loops, trace.stopped_by) == (2, "max_loops")
    last = api.requests[-1]
    assert last["tools"] and last.get("tool_choice", {}).get("type") in ("none", None)
    assert log.samples[0].output.completion == "Revenue grew in the quarter."


def test_a_batch_is_priced_at_half_and_its_waiting_is_no_latency(synthetic_folder: Path) -> None:
    api = MessagesAPI()
    batch = BatchConfig(size=1, send_delay=0.05, tick=0.05)
    log = run(synthetic_folder, api, "naive_rag", batch=batch)
    assert log.status == "success" and log.samples and len(api.batched) == 1
    trace = log.samples[0].store_as(RetrievalTrace)
    assert trace.cost_usd == pytest.approx(COST / 2)
    assert (trace.input_tokens, trace.latency_ms) == (1500, None)
    effort = (log.samples[0].scores or {})["efficiency"].value
    assert isinstance(effort, dict) and isnan(float(effort["latency_ms"]))


def test_a_judge_in_batch_mode_is_priced_at_half(synthetic_folder: Path) -> None:
    api = MessagesAPI()
    with serving(api) as url:
        grader = get_model(
            f"anthropic/{MODEL}",
            base_url=url,
            api_key="none",
            config=GenerateConfig(batch=BatchConfig(size=1, send_delay=0.05, tick=0.05)),
        )
        task = earnings_synthetic(
            corpus=str(synthetic_folder), system="naive_rag", scorers="geval_coverage"
        )
        [log] = eval(
            task,
            model="offline/extractive",
            model_roles={"grader": grader},
            limit=1,
            display="none",
        )
    assert log.samples and log.samples[0].scores and len(api.batched) == 2  # asked once more
    judged = (log.samples[0].scores["geval_coverage"].metadata or {})["judges"][0]
    assert judged["cost_usd"] == pytest.approx(2 * COST / 2)
