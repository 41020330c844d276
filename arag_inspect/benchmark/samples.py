"""The samples of a prepared corpus."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Dataset as Samples
from inspect_ai.dataset import MemoryDataset

from .._util.errors import InputError, check_choice, check_positive
from .._util.files import file_digest
from .._util.provided import DATASETS
from ..corpus import FACTS, Corpus, Manifest, read_manifest
from ..corpus.address import is_service
from .dataset import Dataset
from .prepared_files import SAMPLES, read_samples


def prepared_samples(
    dataset: Dataset,
    corpus: str | None,
    *,
    split: str | None = None,
    target_length: int | None = None,
    style: str | None = None,
    samples: str = SAMPLES,
    if_empty: str | None = None,
) -> Samples:
    """Read the samples of a prepared corpus.

    Args:
        dataset: Data set that the corpus must contain.
        corpus: Name or path of the corpus. Default: the corpus of the data set and split.
        split: Split that the corpus must contain; None takes any.
        target_length: Approximate words of each answer; None leaves it to the data set.
        style: Kind of answer, instead of the data set's own.
        samples: File of the corpus that holds the samples.
        if_empty: Error message if that file has no samples; None takes the data set's.

    Raises:
        InputError: The split is unknown, or the corpus is not prepared, is of another data set,
            or its samples have changed.
    """
    if split is not None:
        check_choice("split", split, dataset.splits)
    check_positive(target_length=target_length)
    if corpus is None:
        corpus = dataset.corpus_name(split)
    if not isinstance(corpus, str):
        raise InputError(f"corpus must be the name or path of a prepared corpus, got {corpus!r}")
    manifest = _manifest(corpus, dataset, split)
    if not _is_compatible(manifest, dataset, split):
        expected = f"{dataset.name} {split}" if split else dataset.name
        raise InputError(
            f"corpus {corpus} holds {manifest.dataset} {manifest.split}, not {expected}; "
            f"run: {dataset.preparation(split)}"
        )
    fields = {"target_length": target_length, "style": style}
    metadata = {name: value for name, value in fields.items() if value is not None}
    return read_corpus_samples(
        corpus, manifest, samples=samples, if_empty=if_empty or dataset.if_empty, metadata=metadata
    )


def read_corpus_samples(
    corpus: str,
    manifest: Manifest,
    *,
    samples: str = SAMPLES,
    if_empty: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Samples:
    """Read the samples of a corpus of any data set.

    Args:
        corpus: Name or path of the corpus.
        manifest: Its manifest.
        samples: File of the corpus that holds the samples.
        if_empty: Error message if that file has no samples.
        metadata: Added to the metadata of each sample, with the corpus.

    Raises:
        InputError: The file is missing, has changed, or has no samples.
    """
    if is_service(corpus) and samples not in manifest.files:
        raise InputError(
            f"the search service {corpus} serves no samples; start it with: arag-inspect corpus "
            "serve CORPUS --with-samples"
        )
    path = Corpus.locate(corpus) / samples
    if not path.is_file() or manifest.files.get(samples) != file_digest(path):
        raise InputError(
            f"{path} is missing or has changed since it was prepared; run: {manifest.command}"
        )
    rows = read_samples(path, manifest.command)
    Corpus.open(corpus)  # a damaged corpus is reported now, not in the first sample
    if not rows and if_empty is not None:
        raise InputError(f"corpus {corpus}: {if_empty}")
    if not rows:
        raise InputError(f"{path} has no samples; run: {manifest.command}")
    for sample in rows:
        sample.metadata = {**(sample.metadata or {}), "corpus": corpus, **(metadata or {})}
    return MemoryDataset(
        rows,
        name=f"{manifest.dataset}-{manifest.split}",
        location=str(path),
    )


def corpus_metadata(folder: Path) -> dict[str, Any]:
    """Describe a corpus for the log, so that logs can be compared."""
    manifest = read_manifest(folder)
    return {
        "corpus": {
            "dataset": manifest.dataset,
            "split": manifest.split,
            "chunk_tokens": manifest.chunk_tokens,
            "embedding": manifest.embedding.model_dump(exclude={"probes"}),
            "chunks_sha256": manifest.chunks_sha256,
            "facts_sha256": manifest.files.get(FACTS),
            "counts": manifest.counts,
        }
    }


def _manifest(corpus: str, dataset: Dataset, split: str | None) -> Manifest:
    folder = Corpus.locate(corpus)
    if not (is_service(corpus) or folder.exists()):
        raise InputError(
            f"corpus {corpus} is not prepared in {folder.parent}; name another with "
            f"-T corpus=NAME, or run: {dataset.preparation(split)}"
        )
    return read_manifest(folder)


def _is_compatible(manifest: Manifest, dataset: Dataset, split: str | None) -> bool:
    """Return whether a corpus is of a data set or evaluated by the same task."""
    if split not in (None, manifest.split):
        return False
    return manifest.dataset == dataset.name or _task_of(manifest.dataset) == dataset.task


def _task_of(name: str) -> str | None:
    """Return the task that evaluates a data set; None if it has no known benchmark."""
    return next((dataset.task for dataset in DATASETS.value if dataset.name == name), None)
