"""The Lance store for large corpora: its two datasets, their rows, how to open them, errors."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np

from ...._util.errors import InputError, one_line
from ...._util.extras import extra
from ....text.folding import fold
from ...chunks import Chunk
from ...embedding.models import Vectors

with extra("lance"):
    import pyarrow as pa

CHUNKS = "chunks.lance"
SENTENCES = "sentences.lance"

FILTERED = ("doc_id", "company", "period")
"""Columns of both datasets by which a search can be restricted."""

FIELDS = {
    "chunk_id": pa.int64(),
    **dict.fromkeys((*FILTERED, "section", "prefix"), pa.string()),
    "text": pa.large_string(),
    **dict.fromkeys(("tokens", "first_page", "last_page"), pa.int64()),
}
"""Columns of a chunk, except its sentences."""

CHUNK_COLUMNS = pa.schema(
    {
        **FIELDS,
        "lower": pa.large_string(),  # prefix, space and text, folded, searched for keywords
        "starts": pa.list_(pa.int32()),
        "ends": pa.list_(pa.int32()),
    }
)
_INDEX_CACHE = 2**29
"""Maximum bytes of indices that an open dataset keeps in memory; Lance's default is 6 GiB."""

_METADATA_CACHE = 2**28
"""Maximum bytes of metadata that an open dataset keeps in memory; Lance's default is 1 GiB."""


def sentence_columns(dimension: int) -> pa.Schema:
    """Return the columns of the sentences: position in the chunk (`place`) and unit vector."""
    names = dict.fromkeys(FILTERED, pa.string())
    vector = pa.list_(pa.float32(), dimension)
    return pa.schema({"chunk_id": pa.int64(), "place": pa.int32(), **names, "vector": vector})


def chunk_batch(chunks: Sequence[Chunk]) -> pa.RecordBatch:
    """Return chunks as rows of their dataset."""
    rows = []
    for chunk in chunks:
        row = {name: getattr(chunk, name) for name in FIELDS}
        row["lower"] = fold(f"{chunk.prefix} {chunk.text}")
        row["starts"] = [start for start, _ in chunk.sentences]
        row["ends"] = [end for _, end in chunk.sentences]
        rows.append(row)
    return pa.RecordBatch.from_pylist(rows, CHUNK_COLUMNS)


def sentence_batch(chunks: Sequence[Chunk], vectors: Vectors) -> pa.RecordBatch:
    """Return the sentences of chunks as rows of their dataset.

    Args:
        chunks: The chunks.
        vectors: Unit vectors of their sentences, in order, shape (sentences, dimension).
    """
    counts = [len(chunk.sentences) for chunk in chunks]
    row = np.repeat(np.arange(len(chunks)), counts)
    filtered = []
    for name in FILTERED:
        values = pa.array([getattr(chunk, name) for chunk in chunks])
        filtered.append(values.take(pa.array(row)))
    # a copy, because Lance ends the process over memory that is not aligned, as mapped files are
    flat = pa.array(np.array(vectors, np.float32).reshape(-1))
    return pa.record_batch(
        [
            pa.array(np.array([chunk.chunk_id for chunk in chunks], np.int64)[row]),
            pa.array(list(chain.from_iterable(map(range, counts))), pa.int32()),
            *filtered,
            pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
        ],
        schema=sentence_columns(vectors.shape[1]),
    )


def engine() -> Any:
    """Import and return the module `lance`.

    Raises:
        InputError: It is not installed.
    """
    os.environ.setdefault("LANCE_LOG", "error")  # Lance warns about each new dataset
    # variables of boto for an S3 service other than Amazon's
    names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
    if any(os.environ.get(name, "").startswith("http://") for name in names):
        os.environ.setdefault("AWS_ALLOW_HTTP", "true")
    try:
        import lance
    except ImportError:
        raise InputError(
            "this corpus is in Lance, which is not installed; run: "
            "pip install 'arag-inspect[lance]'"
        ) from None
    return lance


def open_dataset(uri: str) -> Any:
    """Open a Lance dataset at its newest version, with caches of bounded size."""
    return engine().dataset(
        uri,
        index_cache_size_bytes=_INDEX_CACHE,
        metadata_cache_size_bytes=_METADATA_CACHE,
    )


def write_dataset(uri: str, batches: Iterator[pa.RecordBatch], columns: pa.Schema) -> Any:
    """Write record batches as a Lance dataset; replace whatever is at `uri`."""
    reader = pa.RecordBatchReader.from_batches(columns, batches)
    return engine().write_dataset(reader, uri, mode="overwrite")


@contextmanager
def lance_errors(location: str) -> Iterator[None]:
    """Report Lance's errors in one line with the location.

    Raises:
        InputError: Data are missing, forbidden or damaged, or a disk is full.
    """
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        text = one_line(error)
        lowered = str(error).lower()
        if "no space left" in lowered:
            advice = "free space on the disk and run the same command again"
        elif any(sign in lowered for sign in ("403", "accessdenied", "permission", "forbidden")):
            advice = "check the credentials and the bucket's policy"
        elif "not found" in lowered or "no such file" in lowered:
            advice = "the corpus is incomplete or was prepared again twice; open it again"
        else:
            advice = "try again"
        raise InputError(f"Lance data at {location} failed ({text[:200]}); {advice}") from error
