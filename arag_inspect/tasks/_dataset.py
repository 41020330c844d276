"""Samples of a prepared corpus, as an Inspect dataset."""

from pathlib import Path
from typing import Any

from inspect_ai.dataset import Dataset, MemoryDataset, Sample

from .._util.errors import InputError, check_positive
from ..corpus import FACTS, Corpus, Manifest, prepared_corpora, read_manifest
from ..corpus.embeddings import file_digest
from ..datasets.prepared_samples import read_samples
from ..types.sample import Style

SAMPLES = "samples.jsonl"


def prepared_dataset(
    corpus: str,
    *,
    dataset: str,
    split: str | None,
    prepare: str,
    target_length: int | None = None,
    style: Style | None = None,
    samples: str = SAMPLES,
    without: str | None = None,
) -> Dataset:
    """Read the samples of a prepared corpus.

    Args:
        corpus: Name or path of the corpus.
        dataset: Data set that it has to be of.
        split: Split that it has to be of; None takes any.
        prepare: Command that prepares it.
        target_length: Words that each answer should have, about; None leaves it to the data set.
        style: Kind of answer, instead of that which the data set names.
        samples: File of the corpus that holds the samples.
        without: What to say where that file holds none.

    Raises:
        InputError: The corpus is not prepared, is another data set, or its samples have changed.
    """
    check_positive(target_length=target_length)
    if not isinstance(corpus, str):
        raise InputError(f"corpus must be the name or path of a prepared corpus, got {corpus!r}")
    manifest = _manifest(corpus, dataset, split, prepare)
    if manifest.dataset != dataset or split not in (None, manifest.split):
        asked = f"{dataset} {split}" if split else dataset
        raise InputError(
            f"corpus {corpus} holds {manifest.dataset} {manifest.split}, not {asked}; "
            f"run: {prepare}"
        )
    path = Corpus.locate(corpus) / samples
    if not path.is_file() or manifest.files.get(samples) != file_digest(path):
        raise InputError(
            f"{path} is missing or has changed since it was prepared; run: {manifest.command}"
        )
    found = read_samples(path, manifest.command)
    Corpus.open(corpus)  # what is wrong with it is told now, not in the first sample
    if not found and without is not None:
        raise InputError(f"corpus {corpus}: {without}")
    if not found or len({sample.id for sample in found}) < len(found):
        raise InputError(f"{path} holds no samples or one id twice; run: {manifest.command}")
    given = {"corpus": corpus, "target_length": target_length, "style": style}
    named = {name: value for name, value in given.items() if value is not None}
    placed = [_with(sample, named) for sample in found]
    return MemoryDataset(placed, name=f"{manifest.dataset}-{manifest.split}", location=str(path))


def corpus_metadata(corpus: str) -> dict[str, Any]:
    """What the log says of the corpus, so that two logs can be told comparable or not."""
    manifest = read_manifest(Corpus.locate(corpus))
    return {
        "corpus": {
            "dataset": manifest.dataset,
            "split": manifest.split,
            "chunk_tokens": manifest.chunk_tokens,
            "embedding": manifest.embedding.model_dump(),
            "chunks_sha256": manifest.files["chunks.parquet"],
            "facts_sha256": manifest.files.get(FACTS),
            "counts": manifest.counts,
        }
    }


def _manifest(corpus: str, dataset: str, split: str | None, prepare: str) -> Manifest:
    try:
        return read_manifest(Corpus.locate(corpus))
    except InputError as error:
        if Corpus.locate(corpus).exists():
            raise
        where = Corpus.locate(corpus).parent
        there = [name for name in prepared_corpora(where) if _holds(where / name, dataset, split)]
        other = f"; or give -T corpus=NAME, prepared there: {', '.join(there)}" if there else ""
        raise InputError(
            f"corpus {corpus} is not prepared in {where}; run: {prepare}{other}"
        ) from error


def _holds(folder: Path, dataset: str, split: str | None) -> bool:
    try:
        manifest = read_manifest(folder)
    except InputError:
        return False
    return manifest.dataset == dataset and split in (None, manifest.split)


def _with(sample: Sample, named: dict[str, Any]) -> Sample:
    return sample.model_copy(update={"metadata": {**(sample.metadata or {}), **named}})
