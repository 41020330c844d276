"""A reply that the model's window ended is told from a stream that broke off."""

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from arag_inspect.models.context_window import _ended_at_window


@pytest.mark.parametrize(
    ("model", "tokens", "is_ended"),
    [
        ("anthropic/claude-haiku-4-5", 200_000, True),
        ("anthropic/claude-haiku-4-5", 199_000, False),
        ("anthropic/claude-haiku-4-5", 629, False),
        ("mockllm/model", 10_000_000, False),
    ],
)
def test_reply_without_stop_reason_ended_at_window_only_when_window_is_full(
    model: str, tokens: int, is_ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    output = ModelOutput.from_content(model, "CORRECT", stop_reason="unknown")
    output.usage = ModelUsage(input_tokens=tokens - 1, output_tokens=1, total_tokens=tokens)
    assert _ended_at_window(get_model(model), output) is is_ended
