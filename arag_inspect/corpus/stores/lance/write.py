"""Write a prepared folder of the local store as Lance datasets, and put a corpus in place."""

import json
import shutil
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fsspec
import pyarrow as pa

from ...._util.errors import InputError
from ...._util.files import cache_folder
from ...address import is_address, object_store
from ...chunks import Chunk, read_chunks
from ...mirror import forget_mirrors
from ...prepared.manifest import (
    INDEX,
    MANIFEST,
    STORED,
    LanceData,
    Manifest,
    check_files,
    read_manifest,
)
from ...prepared.replacement import check_replaceable
from ...prepared.swap import folder_lock, hidden_folder, link, stage_folder
from ...search.dense_index import read_index
from .. import lance as datasets
from .indices import build_indices

_STEP = 256
"""Chunks in memory at a time."""


def convert_to_lance(source: Path, out: str, *, command: str) -> Manifest:
    """Convert a prepared folder to Lance.

    The new data are complete before the manifest names them, so readers see the old corpus or
    the new one; open readers keep the old one until the next preparation.

    Args:
        source: Prepared folder of the local store.
        out: Folder or address to make; it may be the source itself.
        command: Command that prepares it.

    Returns:
        The manifest of the new corpus.

    Raises:
        InputError: The source is invalid, FAISS is missing, or `out` cannot be written.
    """
    datasets.engine()
    manifest = read_manifest(source)
    if manifest.lance is not None:
        raise InputError(f"{source} is in Lance already")
    check_files(source, manifest)
    vectors = read_index(source / INDEX)
    folder = f"data-{sha256(json.dumps(manifest.files).encode()).hexdigest()[:16]}"
    columns = datasets.sentence_columns(manifest.embedding.dimension)

    def write(root: str) -> Manifest:
        """Write the datasets under `root`."""
        with datasets.lance_errors(root):
            steps = map(datasets.chunk_batch, _steps(source))
            chunks = datasets.write_dataset(
                f"{root}/{datasets.CHUNKS}", steps, datasets.CHUNK_COLUMNS
            )
            rows = _sentences(source, vectors)
            sentences = datasets.write_dataset(f"{root}/{datasets.SENTENCES}", rows, columns)
            data = build_indices(chunks, sentences, folder, manifest.chunks_sha256)
        files = {k: digest for k, digest in manifest.files.items() if k not in STORED}
        return manifest.model_copy(update={"files": files, "command": command, "lance": data})

    return place_corpus(out, write, source, folder)


def _steps(source: Path) -> Iterator[list[Chunk]]:
    """Yield the chunks of a folder in batches."""
    chunks = read_chunks(source)
    while step := list(islice(chunks, _STEP)):
        yield step


def _sentences(source: Path, index: Any) -> Iterator[pa.RecordBatch]:
    """Yield the sentences with their vectors in the index, in order."""
    low = 0
    for chunks in _steps(source):
        count = sum(len(chunk.sentences) for chunk in chunks)
        yield datasets.sentence_batch(chunks, index.reconstruct_n(low, count))
        low += count


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


def check_target(out: str) -> Manifest | None:
    """Raise if a corpus cannot be written to a folder or address.

    Returns:
        The manifest of the corpus there; None if missing.

    Raises:
        InputError: Something else exists there, or it is not writable.
    """
    if not is_address(out):
        return check_replaceable(Path(out).absolute())
    with object_store(out) as (files, root):
        manifest = _read_published(files, root, out)
        files.pipe_file(f"{root}/.writable", b"")
        files.rm_file(f"{root}/.writable")
    return manifest


def working_folder(out: str) -> Path:
    """Return the folder in which the local files of `out` are built."""
    if is_address(out):
        return cache_folder() / "building" / sha256(out.encode()).hexdigest()[:16]
    return hidden_folder(Path(out).absolute(), "local")


def working_parts(out: str) -> str:
    """Return where the workers of a cluster leave their parts of `out`."""
    if is_address(out):
        return f"{out.rstrip('/')}/data-parts"
    return str(hidden_folder(Path(out).absolute(), "parts"))


def remove_parts(parts: str) -> None:
    """Remove the parts that the workers left, once the corpus is in place."""
    files, root = fsspec.core.url_to_fs(parts)
    files.rm(root, recursive=True)


def _replace(out: Path, write: Callable[[str], Manifest], source: Path, folder: str) -> Manifest:
    """Replace the folder `out` by the new corpus."""
    check_replaceable(out)
    with folder_lock(out), stage_folder(out, "partial") as stage:
        manifest = write(str(stage / folder))
        old = read_manifest(out, outdated=True).lance if (out / MANIFEST).is_file() else None
        if old and old.folder != folder:  # open readers still need the old data
            link(out, stage, [old.folder])
            manifest = _record_previous(manifest, old)
        for name in manifest.files:
            shutil.copy2(source / name, stage / name)
        manifest.write(stage)
    return manifest


def _publish(out: str, write: Callable[[str], Manifest], source: Path, folder: str) -> Manifest:
    """Write a corpus at an address; its manifest comes last."""
    with object_store(out) as (files, root):
        published = _read_published(files, root, out)
        old = published.lance if published is not None else None
        manifest = write(f"{out}/{folder}")
        folders = {folder}
        if old and old.folder != folder:
            manifest = _record_previous(manifest, old)
            folders.add(old.folder)
        for name in manifest.files:
            files.pipe_file(f"{root}/{folder}/{name}", (source / name).read_bytes())
        files.pipe_file(f"{root}/{MANIFEST}", manifest.dump().encode())
        forget_mirrors()
        if old and old.previous and old.previous not in folders:
            files.rm(f"{root}/{old.previous}", recursive=True)
    return manifest


def _record_previous(manifest: Manifest, old: LanceData) -> Manifest:
    """Return the manifest with the folder of the previous data."""
    assert manifest.lance is not None
    data = manifest.lance.model_copy(update={"previous": old.folder})
    return manifest.model_copy(update={"lance": data})


def _read_published(files: Any, root: str, out: str) -> Manifest | None:
    """Return the manifest of the corpus at an address."""
    try:
        text = files.cat_file(f"{root}/{MANIFEST}")
    except FileNotFoundError:
        if files.exists(root) and files.ls(root):
            other_files = [name for name in files.ls(root, detail=False) if "/data-" not in name]
            if other_files:
                raise InputError(
                    f"{out} exists and is not a prepared corpus; choose another --out"
                ) from None
        return None
    with TemporaryDirectory() as work:
        (Path(work) / MANIFEST).write_bytes(text)
        return read_manifest(Path(work), outdated=True)
