"""Samples of a prepared corpus, as an Inspect dataset."""

from pathlib import Path
from typing import Any

from inspect_ai.dataset import Dataset, MemoryDataset, Sample

from .._util.errors import InputError, check_choice, check_positive
from .._util.files import file_digest
from ..corpus import FACTS, Corpus, Manifest, read_manifest
from ..corpus.address import is_service
from ..datasets import dataset_names, get_dataset
from ..datasets.prepared_files import read_samples

SAMPLES = "samples.jsonl"

_OPTIONS = {"custom": " --documents DIR --questions FILE --name NAME"}
"""Required options of `prepare`, by data set."""


def prepared_dataset(
    dataset: str,
    corpus: str | None,
    *,
    split: str | None = None,
    target_length: int | None = None,
    style: str | None = None,
    samples: str = SAMPLES,
    if_empty: str | None = None,
) -> Dataset:
    """Read the samples of a prepared corpus.

    Args:
        dataset: Data set that the corpus must be of.
        corpus: Name or path of the corpus. Default: the data set's name, with the split if any.
        split: Split that the corpus must be of; None takes any.
        target_length: Approximate words of each answer; None leaves it to the data set.
        style: Kind of answer, instead of the data set's own.
        samples: File of the corpus that holds the samples.
        if_empty: Error message if that file holds no samples.

    Raises:
        InputError: The split is unknown, or the corpus is not prepared, is of another data set,
            or its samples have changed.
    """
    if split is not None:
        check_choice("split", split, get_dataset(dataset).splits)
    check_positive(target_length=target_length)
    corpus = corpus if corpus is not None else f"{dataset}-{split}" if split else dataset
    if not isinstance(corpus, str):
        raise InputError(f"corpus must be the name or path of a prepared corpus, got {corpus!r}")
    manifest = _manifest(corpus, dataset, split)
    if not _fits(manifest, dataset, split):
        expected = f"{dataset} {split}" if split else dataset
        raise InputError(
            f"corpus {corpus} holds {manifest.dataset} {manifest.split}, not {expected}; "
            f"run: {_prepare_command(dataset, split)}"
        )
    if is_service(corpus) and samples not in manifest.files:
        raise InputError(
            f"the search service {corpus} gives no samples; start it with: arag-inspect corpus serve CORPUS "
            "--with-samples"
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
        raise InputError(f"{path} holds no samples; run: {manifest.command}")
    fields = {"corpus": corpus, "target_length": target_length, "style": style}
    metadata = {name: value for name, value in fields.items() if value is not None}
    return MemoryDataset(
        [_with_metadata(sample, metadata) for sample in rows],
        name=f"{manifest.dataset}-{manifest.split}",
        location=str(path),
    )


def corpus_metadata(dataset: Dataset) -> dict[str, Any]:
    """Describe the corpus of a dataset for the log, so that logs can be compared."""
    manifest = read_manifest(Path(str(dataset.location)).parent)
    return {
        "corpus": {
            "dataset": manifest.dataset,
            "split": manifest.split,
            "chunk_tokens": manifest.chunk_tokens,
            "embedding": manifest.embedding.model_dump(),
            "chunks_sha256": manifest.chunks_sha256,
            "facts_sha256": manifest.files.get(FACTS),
            "counts": manifest.counts,
        }
    }


def _prepare_command(dataset: str, split: str | None) -> str:
    options = f" --split {split}" if split else _OPTIONS.get(dataset, "")
    return f"arag-inspect prepare {dataset}{options}"


def _manifest(corpus: str, dataset: str, split: str | None) -> Manifest:
    folder = Corpus.locate(corpus)
    if not (is_service(corpus) or folder.exists()):
        raise InputError(
            f"corpus {corpus} is not prepared in {folder.parent}; name another with -T corpus=NAME, "
            f"or run: {_prepare_command(dataset, split)}"
        )
    return read_manifest(folder)


def _fits(manifest: Manifest, dataset: str, split: str | None) -> bool:
    """Return whether a corpus is of a data set or evaluated by the same task."""
    name = manifest.dataset
    same = name == dataset or (name in dataset_names() and get_dataset(name).task == dataset)
    return same and split in (None, manifest.split)


def _with_metadata(sample: Sample, metadata: dict[str, Any]) -> Sample:
    return sample.model_copy(update={"metadata": {**(sample.metadata or {}), **metadata}})
