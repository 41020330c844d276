"""Estimates of tokens by length, for texts that no provider counted."""

from collections.abc import Iterable

from inspect_ai.model import Model

CHARACTERS_A_TOKEN = 4


def estimate_mock_tokens(models: Iterable[Model]) -> None:
    """Let mock models estimate tokens by length, so that they also work offline.

    For a reply without usage, Inspect counts with tiktoken, which downloads a file and fails with a
    traceback if it cannot.
    """
    for model in models:
        if str(model).startswith("mockllm/"):
            model.api.count_text_tokens = _estimate  # type: ignore[method-assign]


async def _estimate(text: str) -> int:
    return max(1, len(text) // CHARACTERS_A_TOKEN)
