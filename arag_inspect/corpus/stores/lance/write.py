"""Write a prepared folder of the local store as Lance datasets, with indices that reach a recall."""

import json
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa

from ...._util.errors import InputError
from ...._util.files import cache_folder
from ...address import forget_mirrors, is_address, object_store
from ...chunks import Chunk, read_chunks
from ...dense_index import read_index
from ...embedding_models import Vectors
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
from ...ranking import ROUNDING, Hit
from ...replacement import check_replaceable
from ...swap import folder_lock, hidden, link, staged
from .. import lance as datasets
from .store import best_chunks

_STEP = 256
"""Chunks in memory at a time."""


def convert_to_lance(source: Path, out: str, *, command: str) -> Manifest:
    """Convert a prepared folder to Lance

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
    """Yield the chunks of a folder, some at a time."""
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
        folder: Name of the folder of the
    """
    if is_address(out):
        return _publish(out.rstrip("/"), write, source, folder)
    return _replace(Path(out).absolute(), write, source, folder)


def check_target(out: str) -> Manifest | None:
    """Raise if a corpus cannot be written to a folder or address.

    Returns:
        The manifest of the corpus there; None if there is none.

    Raises:
        InputError: Something else exists there, or it is not writable.
    """
    if not is_address(out):
        return check_replaceable(Path(out).absolute())
    with object_store(out) as (files, root):
        manifest = _published(files, root, out)
        files.pipe_file(f"{root}/.writable", b"")
        files.rm_file(f"{root}/.writable")
    return manifest


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


def _replace(out: Path, write: Callable[[str], Manifest], source: Path, folder: str) -> Manifest:
    """Replace the folder `out` by the new corpus."""
    check_replaceable(out)
    with folder_lock(out), staged(out, "partial") as stage:
        manifest = write(str(stage / folder))
        old = read_manifest(out, outdated=True).lance if (out / MANIFEST).is_file() else None
        if old and old.folder != folder:  # its readers still read it
            link(out, stage, [old.folder])
            manifest = _with_previous(manifest, old)
        for name in manifest.files:
            shutil.copy2(source / name, stage / name)
        manifest.write(stage)
    return manifest


def _publish(out: str, write: Callable[[str], Manifest], source: Path, folder: str) -> Manifest:
    """Write a corpus at an address; its manifest comes last."""
    with object_store(out) as (files, root):
        published = _published(files, root, out)
        old = published and published.lance
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


def _published(files: Any, root: str, out: str) -> Manifest | None:
    """Return the manifest of the corpus at an address."""
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
        return read_manifest(Path(work), outdated=True)


UNINDEXED = 100_000
"""Up to this many sentences every vector is compared, which is fast and exact."""

LEAST_RECALL = 0.99
"""Recall@5 of chunks that search must reach on the build's queries, so that others reach 0.98."""

_BITS = 5
_QUERIES = 200


def create_index(dataset: Any, column: str, kind: str, **options: Any) -> None:
    """Build an index of a column in this process.

    Args:
        dataset: The Lance dataset.
        column: Column to index.
        kind: Type of the index, as Lance names it.
        options: Options of the index.
    """
    create = dataset.create_index if kind == "IVF_RQ" else dataset.create_scalar_index
    create(column, kind, **options)


def build_indices(
    chunks: Any,
    sentences: Any,
    folder: str,
    digest: str,
    create: Callable[..., None] = create_index,
) -> LanceData:
    """Index both datasets, and measure the search against exact search.

    Args:
        chunks: Dataset of the chunks.
        sentences: Dataset of the sentences.
        folder: Name of the folder that holds them.
        digest: SHA-256 that stands for the chunks.
        create: Builds an index; see `create_index`.

    Returns:
        Location and search settings; exact search for few sentences, or where no settings reach
        the recall.
    """
    create(chunks, "lower", "NGRAM")
    for dataset in (chunks, sentences):
        create(dataset, "doc_id", "BTREE")
        for name in ("company", "period"):
            create(dataset, name, "BITMAP")
    data = LanceData(
        format_version=LANCE_VERSION,
        folder=folder,
        chunks_sha256=digest,
        index="none",
        recall_at_5=1.0,
    )
    count = sentences.count_rows()
    if count <= UNINDEXED:
        return data
    partitions = max(16, round(math.sqrt(count)))
    create(sentences, "vector", "IVF_RQ", metric="dot", num_partitions=partitions, num_bits=_BITS)
    return _tune(sentences, data, partitions)


def _tune(sentences: Any, data: LanceData, partitions: int) -> LanceData:
    """Find the cheapest settings that reach the recall.

    Queries are sums of two consecutive sentences and one from elsewhere: close to the corpus, but
    farther from its sentences than these are from their neighbours.
    """
    count = sentences.count_rows()
    random = np.random.default_rng(0)
    rows = np.sort(random.choice(count - 1, _QUERIES, replace=False))
    elsewhere = random.permutation(rows)
    queries = sum(_vectors(sentences, part) for part in (rows, rows + 1, elsewhere))
    queries /= np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    exact = best_by_scan(sentences, queries, 5)
    doubled = [(2**power, 20) for power in range(6, (partitions - 1).bit_length())]
    for nprobes, refine in [(16, 5), (32, 10), *doubled, (partitions, 20), (partitions, 100)]:
        settings = {"index": "IVF_RQ", "nprobes": nprobes, "refine_factor": refine}
        tuned = data.model_copy(update=settings)
        recall = _recall(sentences, queries, exact, tuned)
        if recall >= LEAST_RECALL:
            return tuned.model_copy(update={"recall_at_5": round(recall, 4)})
    return data


def _recall(sentences: Any, queries: Any, exact: list[dict[int, float]], data: LanceData) -> float:
    """Return the recall of the exact five; 0 as soon as it cannot reach the target."""
    missed = 0.0
    for query, best in zip(queries, exact, strict=True):
        missed += 1 - share_found(best_chunks(sentences, query, 5, data)[0], best)
        if missed > (1 - LEAST_RECALL) * len(queries):
            return 0.0
    return 1 - missed / len(queries)


def _vectors(sentences: Any, rows: Any) -> Any:
    column = sentences.take(rows.tolist(), columns=["vector"])["vector"].combine_chunks()
    return column.flatten().to_numpy().reshape(len(rows), -1)


def best_by_scan(sentences: Any, queries: Vectors, top_k: int) -> list[dict[int, float]]:
    """Find the best chunks for many query vectors in one pass over the sentences.

    Args:
        sentences: The Lance dataset.
        queries: Unit vectors, shape (queries, dimension).
        top_k: Number of chunks.

    Returns:
        For each query its best chunks: the score of the best sentence, by id.
    """
    results: list[dict[int, float]] = [{} for _ in queries]
    for batch in sentences.to_batches(columns=["chunk_id", "vector"]):
        chunk_ids = batch["chunk_id"].to_numpy()
        vectors = batch["vector"].flatten().to_numpy().reshape(len(chunk_ids), -1)
        starts = np.flatnonzero(np.diff(chunk_ids, prepend=-1))
        scores = np.maximum.reduceat(queries @ vectors.T, starts, axis=1)
        count = min(top_k, len(starts))
        columns = np.argpartition(-scores, count - 1, axis=1)[:, :count]
        for position, best in enumerate(results):
            for column in columns[position]:  # a chunk may lie in two batches
                chunk_id, score = int(chunk_ids[starts[column]]), float(scores[position, column])
                best[chunk_id] = max(score, best.get(chunk_id, score))
            ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
            results[position] = dict(ranked[:top_k])
    return results


def share_found(hits: Sequence[Hit], best: dict[int, float]) -> float:
    """Return the share of the best chunks that a search found.

    Args:
        hits: Result of the search.
        best: Scores of the best chunks, as `best_by_scan` returns them; chunks that score the
            same stand for each other.
    """
    least = min(best.values()) - ROUNDING
    return sum(hit.score >= least for hit in hits[: len(best)]) / len(best)
