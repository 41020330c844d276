"""Test of an OpenRouter system with judges of three families in one command (local server)."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from arag_inspect.report import frames, make_report
from tests.commands import call
from tests.logs import samples_of, scores_of
from tests.serving import Request, Response, as_json, as_reply, message, serving

# models that no other test uses, because Inspect caches them
LLAMA, CLAUDE = "openrouter/meta-llama/llama-3.1-70b-instruct", "anthropic/claude-haiku-4-5"
GPT, GEMINI = "openai/gpt-4o-mini", "openrouter/google/gemini-2.5-flash-lite"
GRADES = {CLAUDE: 3, GPT: 4, GEMINI: 5}
PRICES = {LLAMA: (0.72, 0.72), CLAUDE: (1.00, 5.00), GPT: (0.15, 0.60), GEMINI: (0.10, 0.40)}
"""Dollars per million input and output tokens."""

INPUT, OUTPUT = 2000, 100


class Providers:
    """Serves the Messages API and Chat Completions, distinguishing OpenAI and OpenRouter by key."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.body)
        messages = request.path.endswith("/messages")
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        provider = "anthropic" if messages else key.removesuffix("-key")
        model = f"{provider}/{body['model']}"
        self.asked.append(model)
        verdict = {"reasoning": "It is read so.", "verdict": GRADES.get(model)}
        text = json.dumps(verdict) if model in GRADES else "Revenue grew."
        if not messages:
            return as_json(_completion(body["model"], text))
        usage = {"input_tokens": INPUT, "output_tokens": OUTPUT}
        return as_reply(body, message(body["model"], [{"type": "text", "text": text}], **usage))


def _completion(model: str, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "c", "object": "chat.completion", "created": 1, "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": INPUT, "completion_tokens": OUTPUT,
                  "total_tokens": INPUT + OUTPUT},
    }  # fmt: skip


def _dollars(model: str) -> float:
    paid_in, paid_out = PRICES[model]
    return (INPUT * paid_in + OUTPUT * paid_out) / 1e6


def test_run_combines_openrouter_model_with_judges_of_three_families(
    synthetic_folder: Path,
    logs: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    providers = Providers()
    with serving(providers) as url:
        for name, path in (("anthropic", ""), ("openai", "/v1"), ("openrouter", "/api/v1")):
            monkeypatch.setenv(f"{name.upper()}_API_KEY", f"{name}-key")
            monkeypatch.setenv(f"{name.upper()}_BASE_URL", url + path)
        call(
            "run earnings_synthetic --systems closed_book --limit 1 --model",
            *(LLAMA, "--grader", f"{CLAUDE},{GPT},{GEMINI}", "--log-dir", logs),
            *("-T", f"corpus={synthetic_folder}", "-T", "scorers=severity_judge,efficiency"),
        )
    assert "has no known price" not in caplog.text
    assert sorted(providers.asked) == sorted([LLAMA, *GRADES])
    log = read_eval_log(list_eval_logs(str(logs))[0])
    [sample] = samples_of(log)
    assert scores_of(sample)["efficiency"].as_dict()["cost_usd"] == pytest.approx(_dollars(LLAMA))
    score = scores_of(sample)["severity_judge"]
    assert score.value == pytest.approx((3 + 4 + 5) / 3 / 5)
    assert score.metadata
    judges = {one["grader"]: one for one in score.metadata["judges"]}
    assert {name: one["verdict"] for name, one in judges.items()} == GRADES
    for name, one in judges.items():
        assert one["cost_usd"] == pytest.approx(_dollars(name)), name
    assert make_report(frames(logs)).studies[0].study.rows[0].graders == tuple(GRADES)
