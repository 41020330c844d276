"""Prepare a corpus from a data set: chunk, embed, annotate, write."""

import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import yaml

from .._util.errors import InputError
from .._util.names import file_name
from .._util.progress import bar
from ..corpus import (
    DEFAULT_MODEL,
    Corpus,
    CorpusDocuments,
    Document,
    Extras,
    Indexing,
    Manifest,
    Provenance,
    build_corpus,
    check_not_less,
    check_replaceable,
    datasets_folder,
    is_address,
    reuse_corpus,
)
from ..corpus.documents.text import Skipped
from .dataset import Chunks, Dataset, ReadsColumns, SourceData

_LONGEST_NAME = 200
"""Maximum bytes of a folder name; file systems allow 255, and the temporary name is longer."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared corpus."""

    place: str
    """Folder or address."""

    folder: Path
    """Local folder with its small files."""

    manifest: Manifest
    seconds: float
    evaluation: str
    """Task and parameters that evaluate it."""

    skipped: Sequence[Skipped] = ()
    """Skipped files with reasons."""

    reading: Sequence[str] = ()
    """How the columns of a file of questions were read, a line each."""


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of `prepare_dataset` that all data sets share: chunks, vectors, output."""

    chunk_tokens: int = 1000
    embedding_model: str = DEFAULT_MODEL
    embed_prefix: bool = True
    dtype: Literal["float32", "bfloat16"] = "float32"
    out: Path | str | None = None
    """Folder or, for Lance, address (`s3://...`) to make; None for the data set's name in the
    datasets folder."""

    store: Literal["local", "lance"] = "local"
    """Files read into memory, or Lance datasets searched in place."""

    engine: Literal["local", "ray"] = "local"
    """This process, or a Ray cluster."""

    address: str | None = None
    """Address of the cluster; None starts Ray on this machine."""

    command: str | None = None
    """Command typed by the user, for error messages about a damaged folder."""

    shipped: Path | None = None
    """Folder with vectors of the corpus, used if they fit; Ray computes its own."""

    force: bool = False
    """Replace a prepared corpus that has other settings, or more documents or samples."""

    @property
    def indexing(self) -> Indexing:
        """Settings of chunks and vectors."""
        return Indexing(
            self.chunk_tokens, self.embedding_model, self.embed_prefix, dtype=self.dtype
        )


def prepare_corpus(spec: Dataset, data: SourceData, options: Options) -> Prepared:
    """Build the folder of a corpus.

    Args:
        spec: The data set.
        data: Result of its reader; documents are read one by one, as they are indexed.
        options: Settings that all data sets share.

    Raises:
        InputError: The folder's name is too long, or it contains another or a larger corpus; see
            also `build_corpus`.
    """
    started = time.monotonic()
    _check_store(options)
    target = _find_target(spec, data.split, options)
    provenance = Provenance(spec.name, data.split, data.source, options.command or "")
    indexing = options.indexing
    if isinstance(data.documents, CorpusDocuments):  # its chunks are kept
        chunk_tokens = data.documents.corpus.manifest.chunk_tokens
        indexing = replace(indexing, chunk_tokens=chunk_tokens)
    old_manifest = _manifest_to_replace(target, options)

    def check(counts: Mapping[str, int]) -> None:
        if old_manifest is not None and not options.force:
            check_not_less(target, old_manifest, provenance, indexing, counts)

    def annotate(chunks: Chunks) -> Extras:
        check({"documents": len(chunks)})
        extras = data.annotate(chunks, spec.name, file_name(target))
        check(extras.counts)
        return extras

    check({"documents": len(data.documents)} if isinstance(data.documents, Sized) else {})
    manifest = _index(data.documents, target, options, provenance, indexing, annotate)
    corpus = shlex.quote(str(options.out)) if options.out else None
    folder = Corpus.locate(target if is_address(target) else Path(target).absolute())
    return Prepared(
        folder=folder,
        place=target,
        manifest=manifest,
        seconds=time.monotonic() - started,
        evaluation=spec.evaluation(data.split, corpus),
        skipped=tuple(data.skipped),
        reading=tuple(data.reading) if isinstance(data, ReadsColumns) else (),
    )


def _check_store(options: Options) -> None:
    """Raise if engine, store and target are incompatible, or Lance is not installed."""
    if options.engine == "ray" and options.store != "lance":
        raise InputError("engine=ray writes Lance datasets; give --store lance")
    if options.store == "lance":
        from ..corpus.stores.lance import engine  # needs PyArrow

        engine()
    elif is_address(options.out or ""):
        raise InputError("the local store needs a local folder; give --store lance for an address")


def _find_target(spec: Dataset, split: str, options: Options) -> str:
    """Return the folder or address to make.

    Raises:
        InputError: Its name is too long.
    """
    target = str(options.out or datasets_folder() / spec.corpus_name(split)).rstrip("/")
    name = file_name(target)
    if len(os.fsencode(name)) > _LONGEST_NAME:
        raise InputError(f"the folder's name {name[:40]!r}... is too long; give another --out")
    return target


def _manifest_to_replace(target: str, options: Options) -> Manifest | None:
    """Return the manifest of the corpus at the target; None if missing."""
    if options.store == "lance":
        from ..corpus.stores.lance.write import check_target

        return check_target(target)
    return check_replaceable(Path(target).absolute())


def _index(
    documents: Iterable[Document],
    target: str,
    options: Options,
    provenance: Provenance,
    indexing: Indexing,
    annotate: Callable[[Chunks], Extras],
) -> Manifest:
    """Build the corpus at its target, reusing chunks and vectors of another where they fit."""
    is_lance = options.store == "lance"
    if (
        isinstance(documents, CorpusDocuments)
        and not is_address(target)
        and documents.fits(indexing, lance=is_lance)
    ):
        return reuse_corpus(documents.corpus, Path(target).absolute(), provenance, annotate)
    if options.engine == "ray":
        from ..corpus.stores.lance.distributed import build_on_ray

        return build_on_ray(
            documents, target, provenance, indexing, annotate=annotate, address=options.address
        )
    build = partial(
        build_corpus,
        documents,
        provenance=provenance,
        indexing=indexing,
        shipped=options.shipped,
        annotate=annotate,
        total=len(documents) if isinstance(documents, Sized) else None,
        progress=bar(f"Indexing {file_name(target)}"),
    )
    if not is_lance:
        return build(Path(target).absolute())
    from ..corpus.stores.lance.write import convert_to_lance, working_folder

    folder = working_folder(target)
    manifest = build(folder)
    manifest = convert_to_lance(folder, target, command=manifest.command)
    shutil.rmtree(folder)
    return manifest


def check_name(name: str) -> None:
    """Raise if a text cannot name a corpus on a command line and in the file system.

    Raises:
        InputError: It is too long, has characters other than letters, digits, `.`, `_` and `-`,
            begins with `.` or `-`, or is not text to YAML.
    """
    if not re.fullmatch(r"\w[\w.-]*", name) or len(name.encode()) > _LONGEST_NAME:
        raise InputError(
            f"{name[:40]!r} is not a plain name of a corpus; "
            f"give up to {_LONGEST_NAME} letters, digits, '.', '_' and '-'"
        )
    if not isinstance(yaml.safe_load(name), str):
        raise InputError(
            f"{name!r} would not be read as text in `-T corpus={name}`; put a letter before it"
        )
