"""From a data set's source to its prepared folder, in one call each."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..corpus import (
    DEFAULT_MODEL,
    Chunk,
    Extras,
    Manifest,
    Source,
    bar,
    build_corpus,
    datasets_folder,
)
from . import calls, ectsum
from .calls import Call
from .synthetic import generate_calls


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a preparation made."""

    folder: Path
    manifest: Manifest
    seconds: float


@dataclass(frozen=True, slots=True)
class Options:
    """How to chunk and embed, the same for every data set."""

    chunk_tokens: int = 1000
    embedding_model: str = DEFAULT_MODEL
    embed_prefix: bool = True
    dtype: str = "auto"
    out: Path | None = None
    """Folder to make; None for `<dataset>-<split>` in the datasets folder."""

    command: str | None = None
    """What the user typed, for messages of a damaged folder."""


def prepare_ectsum(
    split: ectsum.Split = "test",
    *,
    limit: int | None = None,
    source: Path | None = None,
    url: str = ectsum.ARCHIVE,
    options: Options = Options(),
) -> Prepared:
    """Prepare a split of ECTSum.

    Args:
        split: Which split.
        limit: Only so many calls, in the order of names.
        source: Local copy of the repository; None downloads the pinned commit.
        url: Where to download the archive.
        options: How to chunk and embed.

    Raises:
        InputError: Something is wrong with the source, the download or the model.
    """
    files = ectsum.load_files(split, source, url)
    found = ectsum.read_calls(files, split, limit)
    return _prepare_calls(found, "ectsum", split, ectsum.source_of(files), options)


def prepare_synthetic(
    documents: int = 40, seed: int = 7, *, options: Options = Options()
) -> Prepared:
    """Prepare synthetic earnings calls.

    Args:
        documents: How many.
        seed: Of the generator; the same seed gives the same calls.
        options: How to chunk and embed.
    """
    found = [
        Call(
            document=call.document,
            quarter=call.quarter,
            year=call.year,
            summary=call.summary,
            key_sentences=call.key_sentences,
        )
        for call in generate_calls(documents, seed)
    ]
    return _prepare_calls(found, "synthetic", f"seed{seed}", Source(), options)


def _prepare_calls(
    found: Sequence[Call], dataset: str, split: str, source: Source, options: Options
) -> Prepared:
    started = time.monotonic()
    name = options.out.name if options.out else _folder_name(dataset, split)
    folder = options.out.absolute() if options.out else datasets_folder() / name

    def annotate(chunks: Sequence[Chunk]) -> Extras:
        return calls.annotate(found, chunks, dataset, name)

    manifest = build_corpus(
        (call.document for call in found),
        folder,
        dataset=dataset,
        split=split,
        source=source,
        chunk_tokens=options.chunk_tokens,
        model=options.embedding_model,
        dtype=options.dtype,  # type: ignore[arg-type]
        embed_prefix=options.embed_prefix,
        annotate=annotate,
        command=options.command,
        total=len(found),
        progress=bar(f"Indexing {name}"),
    )
    return Prepared(folder, manifest, time.monotonic() - started)


def _folder_name(dataset: str, split: str) -> str:
    return dataset if dataset == "synthetic" else f"{dataset}-{split}"
