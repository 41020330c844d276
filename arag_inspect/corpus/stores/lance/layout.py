"""Names, columns and errors of the Lance datasets."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from ...._util.errors import InputError, one_line
from ...address import is_address, storage_options
from ...chunking import Chunk

CHUNKS, SENTENCES = "chunks.lance", "sentences.lance"

_FIELDS = [
    ("chunk_id", pa.int64()),
    ("doc_id", pa.string()),
    ("company", pa.string()),
    ("period", pa.string()),
    ("section", pa.string()),
    ("prefix", pa.string()),
    ("text", pa.large_string()),
    ("tokens", pa.int64()),
    ("first_page", pa.int64()),
    ("last_page", pa.int64()),
]
FIELDS = [name for name, _ in _FIELDS]
"""Columns of a chunk, besides its sentences."""

CHUNK_COLUMNS = pa.schema(
    [
        *_FIELDS,
        (
            "lower",
            pa.large_string(),
        ),  # prefix, space and text in lower case: the text searched for keywords
        ("starts", pa.list_(pa.int32())),
        ("ends", pa.list_(pa.int32())),
    ]
)
_INDEX_CACHE, _METADATA_CACHE = 2**29, 2**28
"""Bytes that an open dataset keeps in memory at most; Lance's own are 6 GiB and 1 GiB."""

FILTERED = ("doc_id", "company", "period")
"""Columns of both datasets by which a search can be restricted."""


def chunk_row(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as a row, with starts and ends of its sentences."""
    return {name: getattr(chunk, name) for name in FIELDS} | {
        "starts": [start for start, _ in chunk.sentences],
        "ends": [end for _, end in chunk.sentences],
    }


def sentence_columns(dimension: int) -> pa.Schema:
    """Return the columns of the sentences: position and unit vector."""
    return pa.schema(
        [
            ("chunk_id", pa.int64()),
            ("place", pa.int32()),
            *((name, pa.string()) for name in FILTERED),
            ("vector", pa.list_(pa.float32(), dimension)),
        ]
    )


def engine() -> Any:
    """Import and return the module `lance`.

    Raises:
        InputError: It is not installed.
    """
    os.environ.setdefault("LANCE_LOG", "error")  # it warns about each new dataset
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
        storage_options=options(uri),
        index_cache_size_bytes=_INDEX_CACHE,
        metadata_cache_size_bytes=_METADATA_CACHE,
    )


def options(uri: str) -> dict[str, str] | None:
    """Return the storage options for a path or an address."""
    return storage_options() if is_address(uri) else None


@contextmanager
def lance_errors(location: str) -> Iterator[None]:
    """Report Lance's errors in one line that names the location.

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
            advice = "free space on the disk and give the same command"
        elif any(sign in lowered for sign in ("403", "accessdenied", "permission", "forbidden")):
            advice = "check the credentials and the bucket's policy"
        elif "not found" in lowered or "no such file" in lowered:
            advice = "the corpus is incomplete or was prepared again twice; open it again"
        else:
            advice = "try again"
        raise InputError(f"Lance data at {location} failed ({text[:200]}); {advice}") from error
