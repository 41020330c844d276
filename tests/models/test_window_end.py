"""Tests that a reply cut off by the context window is not taken for a broken stream."""

import json

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelAPI, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from tenacity import wait_none

from arag_inspect.models.call import call_model
from tests.logs import samples_of
from tests.scripted import run
from tests.serving import Request, Response, as_reply, message, serving

pytestmark = pytest.mark.usefixtures("logs")

WINDOW = 200_000


@solver
def asks() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = await call_model(get_model(), state.messages)
        return state

    return solve


@pytest.mark.parametrize(
    ("stop_reason", "tokens", "is_logged", "is_ended"),
    [
        ("model_context_window_exceeded", 1_000, True, True),
        ("model_context_window_exceeded", WINDOW, False, True),
        ("broken_off", WINDOW, True, False),
        ("broken_off", 199_000, False, False),
    ],
)
def test_reply_is_final_when_window_ended_it(
    stop_reason: str,
    tokens: int,
    is_logged: bool,
    is_ended: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The raw reply decides where the log keeps it, else whether the window is full."""
    calls: list[Request] = []

    def answer(request: Request) -> Response:
        calls.append(request)
        body = json.loads(request.body)
        blocks = [{"type": "text", "text": "CORRECT"}]
        usage = {"input_tokens": tokens - 1, "output_tokens": 1}
        reply = message(body["model"], blocks, **usage)
        return as_reply(body, {**reply, "stop_reason": stop_reason})

    monkeypatch.setattr(ModelAPI, "retry_wait", lambda _: wait_none())
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    with serving(answer) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        model = "anthropic/claude-haiku-4-5"
        log = run(Task([Sample("?")], solver=asks()), model, log_model_api=is_logged)
    (sample,) = samples_of(log)
    assert (len(calls) == 1) == (sample.error is None) == is_ended
    assert not is_ended or sample.output.stop_reason == "model_length"
