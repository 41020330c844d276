"""Write a prepared folder of the local store as Lance datasets."""

import json
import shutil
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa

from ...._util.cache import cache_folder
from ...._util.errors import InputError
from ...address import forget_mirrors, is_address, object_store
from ...builder import check_replaceable
from ...chunk_store import read_chunks
from ...dense_index import read_index
from ...manifest import (
    INDEX,
    LANCE_VERSION,
    MANIFEST,
    STORED,
    LanceData,
    Manifest,
    check_files,
    read_manifest,
)
from ...revision import link
from ...swap import folder_lock, hidden, staged
from . import layout
from .index import build_indices

_STEP = 4096
"""Rows in memory at a time."""


def convert_to_lance(source: Path, out: str, *, command: str) -> Manifest:
    """Convert a prepared folder to Lance datasets.

    The new data are complete before the manifest names them, so readers see the old corpus or
    the new one; open readers keep the old one until it is prepared once more.

    Args:
        source: Prepared folder of the local store.
        out: Folder or address to make; it may be the source itself.
        command: Command that prepares it.

    Returns:
        The manifest of the new corpus.

    Raises:
        InputError: The source is invalid, FAISS is missing, or `out` cannot be written.
    """
    layout.engine()
    manifest = read_manifest(source)
    if manifest.lance is not None:
        raise InputError(f"{source} is in Lance already")
    check_files(source, manifest)
    exact = read_index(source / INDEX)
    folder = f"data-{sha256(json.dumps(manifest.files).encode()).hexdigest()[:16]}"
    small_files = [name for name in manifest.files if name not in STORED]

    def write(root: str) -> Manifest:
        """Write the datasets under `root`."""
        with layout.lance_errors(root):
            chunks = write_dataset(
                f"{root}/{layout.CHUNKS}", _chunks(source, manifest), layout.CHUNK_COLUMNS
            )
            columns = layout.sentence_columns(manifest.embedding.dimension)
            rows = _sentences(source, manifest, columns, exact)
            sentences = write_dataset(f"{root}/{layout.SENTENCES}", rows, columns)
            settings = build_indices(chunks, sentences)
        data = LanceData(
            format_version=LANCE_VERSION,
            folder=folder,
            chunks_sha256=manifest.chunks_sha256,
            index=settings.kind,
            nprobes=settings.nprobes,
            refine_factor=settings.refine_factor,
            recall_at_5=settings.recall_at_5,
        )
        files = {name: manifest.files[name] for name in small_files}
        return manifest.model_copy(update={"files": files, "command": command, "lance": data})

    return place_corpus(out, write, source, folder)


def place_corpus(out: str, write: Callable[[str], Manifest], source: Path, folder: str) -> Manifest:
    """Write a corpus beside an existing one, which it replaces when complete.

    Args:
        out: Folder or address.
        write: Writes the datasets into a folder or at an address; returns the manifest.
        source: Folder with the small files, as `write` leaves it.
        folder: Name of the folder of the datasets.
    """
    if is_address(out):
        return _publish(out.rstrip("/"), write, source, folder)
    return _replace(Path(out).absolute(), write, source, folder)


def check_engine() -> None:
    """Raise if Lance is not installed.

    Raises:
        InputError: Says how to install it.
    """
    layout.engine()


def check_target(out: str) -> None:
    """Raise if a corpus cannot be written to a folder or address.

    Raises:
        InputError: Something else exists there, or it is not writable.
    """
    if not is_address(out):
        check_replaceable(Path(out).absolute())
        return
    with object_store(out) as (files, root):
        _published(files, root, out)
        files.pipe_file(f"{root}/.writable", b"")
        files.rm_file(f"{root}/.writable")


def working_folder(out: str) -> Path:
    """Return the folder in which the local files of `out` are built."""
    if is_address(out):
        return cache_folder() / "building" / sha256(out.encode()).hexdigest()[:16]
    return hidden(Path(out).absolute(), "local")


def working_parts(out: str) -> str:
    """Return where the workers of a cluster leave their parts of `out`."""
    if is_address(out):
        return f"{out.rstrip('/')}/data-parts"
    return str(hidden(Path(out).absolute(), "parts"))


def remove_parts(parts: str) -> None:
    """Remove the parts that the workers left, once the corpus is in place."""
    files, root = fsspec.core.url_to_fs(parts)
    files.rm(root, recursive=True)


def write_dataset(uri: str, batches: Iterator[pa.RecordBatch], columns: pa.Schema) -> Any:
    """Write record batches as a Lance dataset; replace whatever is at `uri`."""
    reader = pa.RecordBatchReader.from_batches(columns, batches)
    return layout.engine().write_dataset(
        reader, uri, mode="overwrite", storage_options=layout.options(uri)
    )


def _replace(out: Path, write: Callable[[str], Manifest], source: Path, folder: str) -> Manifest:
    """Replace the folder `out` by the new corpus."""
    check_replaceable(out)
    with folder_lock(out), staged(out, "partial") as stage:
        manifest = write(str(stage / folder))
        old = read_manifest(out).lance if (out / MANIFEST).is_file() else None
        if old and old.folder != folder:  # its readers still read it
            shutil.copytree(out / old.folder, stage / old.folder, copy_function=link)
            manifest = _with_previous(manifest, old)
        for name in manifest.files:
            shutil.copy2(source / name, stage / name)
        manifest.write(stage)
    return manifest


def _publish(out: str, write: Callable[[str], Manifest], source: Path, folder: str) -> Manifest:
    """Write a corpus at an address; its manifest comes last."""
    with object_store(out) as (files, root):
        old = _published(files, root, out)
        manifest = write(f"{out}/{folder}")
        folders = {folder}
        if old and old.folder != folder:
            manifest = _with_previous(manifest, old)
            folders.add(old.folder)
        for name in manifest.files:
            files.pipe_file(f"{root}/{folder}/{name}", (source / name).read_bytes())
        files.pipe_file(f"{root}/{MANIFEST}", manifest.dump().encode())
        forget_mirrors()
        if old and old.previous and old.previous not in folders:
            files.rm(f"{root}/{old.previous}", recursive=True)
    return manifest


def _with_previous(manifest: Manifest, old: LanceData) -> Manifest:
    """Return the manifest with the folder of the previous data."""
    assert manifest.lance is not None
    data = manifest.lance.model_copy(update={"previous": old.folder})
    return manifest.model_copy(update={"lance": data})


def _published(files: Any, root: str, out: str) -> LanceData | None:
    """Return the Lance data prepared at an address."""
    try:
        text = files.cat_file(f"{root}/{MANIFEST}")
    except FileNotFoundError:
        if files.exists(root) and files.ls(root):
            other_files = [name for name in files.ls(root, detail=False) if "/data-" not in name]
            if other_files:
                raise InputError(
                    f"{out} exists and is not a prepared corpus; give another --out"
                ) from None
        return None
    with TemporaryDirectory() as work:
        (Path(work) / MANIFEST).write_bytes(text)
        return read_manifest(Path(work)).lance


def _chunks(source: Path, manifest: Manifest) -> Iterator[pa.RecordBatch]:
    """Yield chunks with their sentences' spans, in order."""
    rows = map(layout.chunk_row, read_chunks(source, manifest))
    while batch := list(islice(rows, _STEP)):
        yield chunk_batch(batch)


def chunk_batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    """Return rows of the chunks' dataset, with the text searched for keywords."""
    for row in rows:
        row["lower"] = f"{row['prefix']} {row['text']}".lower()
        for name in layout.FIELDS:
            row.setdefault(name, None)
    return pa.RecordBatch.from_pylist(rows, layout.CHUNK_COLUMNS)


def _sentences(
    source: Path, manifest: Manifest, columns: pa.Schema, index: Any
) -> Iterator[pa.RecordBatch]:
    """Yield the sentences with their vectors in the index, in order."""
    names: dict[str, list[str]] = {name: [] for name in layout.FILTERED}
    counts = []
    for chunk in read_chunks(source, manifest):
        counts.append(len(chunk.sentences))
        for name, values in names.items():
            values.append(getattr(chunk, name))
    named = {name: pa.array(values, pa.string()) for name, values in names.items()}
    chunk_ids = np.repeat(np.arange(len(counts)), counts)
    positions = np.arange(len(chunk_ids)) - np.searchsorted(chunk_ids, chunk_ids)
    for low in range(0, len(chunk_ids), _STEP):
        part = slice(low, low + _STEP)
        vectors = index.reconstruct_n(low, len(chunk_ids[part]))
        yield sentence_batch(columns, chunk_ids[part], positions[part], named, vectors)


def sentence_batch(
    columns: pa.Schema, chunk: Any, place: Any, named: dict[str, pa.Array], vectors: Any
) -> pa.RecordBatch:
    """Return rows of the sentences' dataset.

    Args:
        columns: Its columns.
        chunk: Chunk of each sentence.
        place: Its position in the chunk.
        named: Document, company and period by row, in the order of chunks.
        vectors: Unit vectors, shape (sentences, dimension).
    """
    # a copy, because Lance ends the process over memory that is not aligned, as mapped files are
    flat = pa.array(np.array(vectors, np.float32).reshape(-1))
    size = columns.field("vector").type.list_size
    return pa.record_batch(
        [
            pa.array(chunk, pa.int64()),
            pa.array(place, pa.int32()),
            *(named[name].take(pa.array(chunk)) for name in layout.FILTERED),
            pa.FixedSizeListArray.from_arrays(flat, size),
        ],
        schema=columns,
    )
