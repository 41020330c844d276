"""What every preparation does: chunk, embed, annotate, and put the folder where it belongs."""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from .._util.errors import InputError
from ..corpus import (
    DEFAULT_MODEL,
    Chunk,
    Document,
    Extras,
    Manifest,
    Source,
    bar,
    build_corpus,
    datasets_folder,
)
from . import earnings_calls, question_set
from .custom import Skipped
from .earnings_calls import EarningsCall
from .question_set import QuestionSet


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a preparation made."""

    folder: Path
    manifest: Manifest
    seconds: float
    skipped: tuple[Skipped, ...] = ()
    """Files that were left out, and why."""


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


def prepare_calls(
    found: Sequence[EarningsCall], dataset: str, split: str, source: Source, options: Options
) -> Prepared:
    """Prepare calls, with their key sentences found in the chunks."""
    return prepare_corpus(
        (call.document for call in found),
        lambda chunks, name: earnings_calls.annotate(found, chunks, dataset, name),
        dataset=dataset,
        split=split,
        source=source,
        options=options,
        total=len(found),
    )


def prepare_questions(found: QuestionSet, dataset: str, split: str, options: Options) -> Prepared:
    """Prepare a question set, with its evidence found in the chunks."""
    return prepare_corpus(
        found.documents,
        lambda chunks, name: question_set.annotate(found, chunks, dataset, name),
        dataset=dataset,
        split=split,
        source=found.source,
        options=options,
        total=found.total,
    )


def prepare_corpus(
    documents: Iterable[Document],
    annotate: Callable[[Mapping[str, Sequence[Chunk]], str], Extras],
    *,
    dataset: str,
    split: str,
    source: Source,
    options: Options,
    total: int | None,
) -> Prepared:
    """Build the folder of a corpus.

    Args:
        documents: Read one by one, as they are indexed.
        annotate: Makes samples, gold and whatever else belongs to the folder, from the chunks of each document and the folder's name.
        dataset: Name of the data set.
        split: Which part of it.
        source: Where it is from.
        options: How to chunk and embed.
        total: Number of documents, for the progress bar; None where nobody knows.

    Raises:
        InputError: The folder's name is too long; and see `build_corpus`.
    """
    started = time.monotonic()
    name = options.out.name if options.out else _folder_name(dataset, split)
    if len(os.fsencode(name)) > _LONGEST_NAME:
        raise InputError(f"the folder's name {name[:40]!r}... is too long; give another --out")
    folder = options.out.absolute() if options.out else datasets_folder() / name
    manifest = build_corpus(
        documents,
        folder,
        dataset=dataset,
        split=split,
        source=source,
        chunk_tokens=options.chunk_tokens,
        model=options.embedding_model,
        dtype=options.dtype,  # type: ignore[arg-type]
        embed_prefix=options.embed_prefix,
        annotate=lambda chunks: annotate(chunks, name),
        command=options.command,
        total=total,
        progress=bar(f"Indexing {name}"),
    )
    return Prepared(folder, manifest, time.monotonic() - started)


_LONGEST_NAME = 200
"""Bytes of a folder's name; file systems take 255, and the folder in the making has a longer one."""


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a corpus, on a command line and in the file system.

    Raises:
        InputError: It is not of letters, digits, `.`, `_` and `-`, or begins with another sign than letter, digit or `_`, or is too long.
    """
    if not re.fullmatch(r"\w[\w.-]*", name) or len(name.encode()) > _LONGEST_NAME:
        raise InputError(
            f"{name[:40]!r} is no plain name of a corpus; give up to {_LONGEST_NAME} letters, digits, '.', '_' and '-'"
        )
    if not isinstance(yaml.safe_load(name), str):
        raise InputError(
            f"{name!r} is no name that `-T corpus={name}` would take for text; put a letter before it"
        )


def _folder_name(dataset: str, split: str) -> str:
    if dataset == "custom":
        return split
    alone = ("synthetic", "finder", "financebench", "advisor", "legal")
    return dataset if dataset in alone else f"{dataset}-{split}"
