"""`local/smollm2`: the local model as a provider that starts its own server."""

from typing import Any

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelCall,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from .context_window import over_window
from .llama_cpp import NAME, WINDOW, start_server


@modelapi(name="local")
def local() -> type[ModelAPI]:
    """Return the models with local weights: `local/smollm2`."""
    return SmolLM2


class SmolLM2(ModelAPI):
    """SmolLM2-135M behind llama.cpp, through Inspect's own OpenAI-compatible provider.

    A real but weak language model, included to show what unreadable
    answers, loops and a short window do to a pipeline. Model arguments
    (`-M`): `context` (tokens, 8192), `threads`.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        context: int = WINDOW,
        threads: int | None = None,
        **model_args: Any,
    ) -> None:
        if model_name != "smollm2":
            raise ValueError(f"model local/{model_name} is unknown; there is local/smollm2")
        super().__init__(model_name, base_url, api_key, [], config)
        server = start_server(context=context, threads=threads)
        self._inner = get_model(
            f"openai-api/smollm2/{NAME}",
            base_url=server.base_url,
            api_key=server.api_key,
            client_timeout=3600,
            **model_args,
        ).api

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        """Send a request to the server."""
        result = await self._inner.generate(input, tools, tool_choice, config)
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, Exception):
            output = over_window("local/smollm2", output) or output
        return result if call is None else (output, call)

    def max_connections(self) -> int:
        """Return 1: the server takes one request at a time."""
        return 1

    async def aclose(self) -> None:
        """Close the connections; the server ends with the process."""
        await self._inner.aclose()
