"""Build a prepared folder from documents."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ..._util.errors import InputError
from ..._util.files import file_digest
from ..._util.progress import Progress, no_progress
from ..chunking import ChunkedDocument, Document, split_document
from ..chunks import Chunk, DocumentChunks, chunk_line
from ..embedding.models import EmbeddingModel, Vectors, embedding_model
from ..embedding.probes import PROBES, pack_vectors
from ..embedding.shipped_vectors import ShippedVectors
from ..search.dense_index import new_index, write_index
from .indexing import Indexing
from .manifest import CHUNKS, FORMAT_VERSION, INDEX, Embedding, Manifest
from .provenance import Provenance
from .replacement import check_replaceable
from .swap import folder_lock, hidden_folder, replace_folder

_SENTENCES_PER_STEP = 4096
"""Approximate number of sentences embedded, and saved for an interrupted build, at a time."""


@dataclass(frozen=True, slots=True)
class Extras:
    """Files and counts that a data set adds to the folder after chunking."""

    files: Mapping[str, str]
    """Text of each further file, by its name."""

    counts: Mapping[str, int]
    """Further counts for the manifest, in addition to documents, chunks and sentences."""


def build_corpus(
    documents: Iterable[Document],
    out: Path,
    provenance: Provenance,
    indexing: Indexing = Indexing(),  # noqa: B008  # immutable
    *,
    shipped: Path | None = None,
    annotate: Callable[[Mapping[str, Sequence[Chunk]]], Extras] | None = None,
    total: int | None = None,
    progress: Progress = no_progress,
) -> Manifest:
    """Chunk, embed and index documents, and write the prepared folder atomically.

    Works in a hidden folder beside `out`, which replaces `out` when it is complete: a reader sees a
    complete corpus or none. If the build is interrupted, the embeddings already made stay there,
    and the same call reuses them. Only the vectors and a few documents are in memory at a time.

    Args:
        documents: Documents to index; read once, in order.
        out: Folder to make.
        provenance: Where the documents come from.
        indexing: Settings of chunks and vectors.
        shipped: Folder with vectors of these documents, used if they fit, see `ShippedVectors`.
        annotate: Creates the further files of the folder (samples, gold chunks) from the chunks of
            each document, see `DocumentChunks`.
        total: Number of documents for the progress bar, if known.
        progress: Reports progress.

    Returns:
        The manifest of the new folder.

    Raises:
        InputError: There is nothing to index, an id occurs twice, the model cannot be loaded, or
            another build is working on the same folder.
    """
    if indexing.chunk_tokens < 32:
        raise InputError(
            f"chunk size of {indexing.chunk_tokens} tokens is too small; use at least 32"
        )
    out = _resolve_output(out)
    check_replaceable(out)
    with folder_lock(out):
        stage = hidden_folder(out, "partial")
        with progress(None):
            encoder = embedding_model(indexing.embedding_model, indexing.dtype)
        vectors = ShippedVectors(shipped, encoder.fingerprint) if shipped else None
        with progress(total) as advance:
            counts = _write(distinct(documents), stage, encoder, vectors, indexing, advance)
        if not counts["documents"]:
            raise InputError(f"no text to index for {out}: the source has no documents with text")
        with progress(None):
            files = {name: file_digest(stage / name) for name in (CHUNKS, INDEX)}
            manifest = describe(
                encoder, provenance, indexing, shipped=vectors, counts=counts, files=files
            )
            if annotate:
                extras = annotate(DocumentChunks.of_folder(stage))
                manifest = manifest.write_files(stage, extras.files, extras.counts)
        _publish(manifest, stage, out)
    return manifest


def _resolve_output(out: Path) -> Path:
    """Return the folder that a path leads to.

    Raises:
        InputError: It is a circular symlink.
    """
    try:
        return out.resolve()
    except (OSError, RuntimeError):
        raise InputError(f"{out} is a circular symlink; choose another --out") from None


def _publish(manifest: Manifest, stage: Path, out: Path) -> None:
    manifest.write(stage)
    shutil.rmtree(stage / "vectors")  # the embeddings saved for an interrupted build
    replace_folder(stage, out)


def describe(
    encoder: EmbeddingModel,
    provenance: Provenance,
    indexing: Indexing,
    *,
    counts: dict[str, int],
    files: dict[str, str],
    shipped: ShippedVectors | None = None,
) -> Manifest:
    """Return the manifest of a corpus that this version builds.

    Args:
        encoder: Embeds its sentences.
        provenance: Where its documents come from.
        indexing: Settings of its chunks and vectors.
        counts: Counts of documents, chunks and sentences.
        files: SHA-256 of each file, by name.
        shipped: Vectors of its sentences, if they were not computed here.
    """
    if shipped and not shipped.misfit:
        machine = shipped.shipment.machine
        probes = shipped.shipment.probes
    else:
        machine = encoder.machine
        probes = pack_vectors(encoder.encode(PROBES))
    return Manifest(
        dataset=provenance.dataset,
        split=provenance.split,
        source=provenance.source,
        command=provenance.command,
        format_version=FORMAT_VERSION,
        package_version=version("arag-inspect"),
        chunk_tokens=indexing.chunk_tokens,
        tokenizer=encoder.name,
        embedding=Embedding(
            model=encoder.name,
            digest=encoder.digest,
            dimension=encoder.dimension,
            dtype=encoder.dtype,
            prefix_embedded=indexing.embed_prefix,
            prompts=encoder.prompts,
            machine=machine,
            probes=probes,
        ),
        counts=counts,
        files=files,
    )


def _write(
    documents: Iterable[Document],
    stage: Path,
    model: EmbeddingModel,
    shipped: ShippedVectors | None,
    indexing: Indexing,
    advance: Callable[[], None],
) -> Counter[str]:
    """Write chunks and vectors of documents as they arrive; return the counts.

    The vectors of each step are saved in `vectors`, in case the build is interrupted.
    """
    vectors_folder = stage / "vectors"
    vectors_folder.mkdir(parents=True, exist_ok=True)
    # left by an interrupted build, perhaps of another data set
    for leftover in stage.iterdir():
        if leftover != vectors_folder:
            leftover.unlink()
    index = new_index(model.dimension)
    pending: list[Chunk] = []
    counts = Counter({"documents": 0, "chunks": 0, "sentences": 0})
    with (stage / CHUNKS).open("wb") as file:

        def flush() -> None:
            texts = passages(pending, indexing.embed_prefix)
            if texts:
                index.add(_embed(texts, model, shipped, vectors_folder))
            file.writelines(map(chunk_line, pending))
            counts["sentences"] += len(texts)
            pending.clear()

        for document in documents:
            chunked = cut_document(document, counts["chunks"], indexing.chunk_tokens, model)
            pending += chunked.chunks
            counts.update(
                documents=1, chunks=len(chunked.chunks), sentences_cut=chunked.sentences_cut
            )
            if sum(len(chunk.sentences) for chunk in pending) >= _SENTENCES_PER_STEP:
                flush()
            advance()
        flush()
    write_index(index, stage / INDEX)
    return +counts  # without zeros


def _embed(
    texts: list[str], model: EmbeddingModel, shipped: ShippedVectors | None, vectors_folder: Path
) -> Vectors:
    """Embed texts, or reuse shipped vectors and those saved by an interrupted build."""
    shipped_vectors = shipped.find(texts) if shipped else None
    if shipped_vectors is not None:
        return shipped_vectors
    key = hashlib.sha256(f"{model.fingerprint}\n".encode())
    for text in texts:
        key.update(text.encode() + b"\0")
    path = vectors_folder / f"{key.hexdigest()}.npy"
    vectors = _read_vectors(path, (len(texts), model.dimension))
    if vectors is None:
        vectors = model.encode(texts)
        temporary = path.with_suffix(".tmp")
        with temporary.open("wb") as file:
            np.save(file, vectors, allow_pickle=False)
        temporary.replace(path)
    return vectors


def cut_document(
    document: Document, first_id: int, chunk_tokens: int, model: EmbeddingModel
) -> ChunkedDocument:
    """Split a document into chunks, see `chunk_document`.

    Raises:
        InputError: It has no text.
    """
    chunked = split_document(
        document,
        first_id=first_id,
        chunk_tokens=chunk_tokens,
        count_tokens=model.count_tokens,
        window=model.window,
    )
    if not chunked.chunks:
        raise InputError(
            f"document {document.doc_id} is empty; remove it from the source or correct it"
        )
    return chunked


def passages(chunks: Iterable[Chunk], embed_prefix: bool) -> list[str]:
    """Return the text to embed for each sentence of chunks, after the prefix if requested."""
    texts: list[str] = []
    for chunk in chunks:
        head = f"{chunk.prefix} " if embed_prefix and chunk.prefix else ""
        texts += [head + " ".join(chunk.text[a:b].split()) for a, b in chunk.sentences]
    return texts


def _read_vectors(path: Path, shape: tuple[int, int]) -> Vectors | None:
    try:
        vectors: Any = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    is_matching = (
        vectors.shape == shape and vectors.dtype == np.float32 and np.isfinite(vectors).all()
    )
    return vectors if is_matching else None


def distinct(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield documents, and raise if an id occurs twice."""
    seen: set[str] = set()
    for document in documents:
        if document.doc_id in seen:
            raise InputError(f"document id {document.doc_id!r} occurs twice in the source")
        seen.add(document.doc_id)
        yield document
