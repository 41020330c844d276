"""A part of a corpus, which one worker of a cluster chunks, embeds and writes."""

import hashlib
import json
from dataclasses import asdict, dataclass
from io import BytesIO
from typing import Any, Literal

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from ...._util.errors import InputError
from ...chunking import Chunk, chunk_document
from ...document import Document
from ...embeddings import embedding_model
from . import layout
from .write import chunk_batch, sentence_batch

_DOCUMENTS = TypeAdapter(list[Document])


@dataclass(frozen=True)
class PartPlan:
    """Settings with which parts are made, and the folder for them."""

    folder: str
    """Folder or address that every worker reaches."""

    model: str
    dtype: Literal["float32", "bfloat16"]
    fingerprint: str
    chunk_tokens: int
    embed_prefix: bool


class PartMaker:
    """Chunks and embeds parts; an actor of Ray Data has one, with its embedding model."""

    def __init__(self, plan: PartPlan) -> None:
        """Remember the plan; the model is loaded for the first part not made yet."""
        self._plan = plan

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Make the parts of a batch.

        Args:
            batch: Columns `part` and `documents`.

        Returns:
            Columns `part` and `made`: key, counts and error, as JSON.
        """
        return {
            "part": batch["part"],
            "made": np.array([json.dumps(self._make(text)) for text in batch["documents"]]),
        }

    def _make(self, documents: str) -> dict[str, Any]:
        plan = asdict(self._plan) | {"folder": ""}
        key = hashlib.sha256(f"{json.dumps(plan)}\n{documents}".encode()).hexdigest()[:32]
        files, root = fsspec.core.url_to_fs(self._plan.folder)
        try:
            record: dict[str, Any] = json.loads(files.cat_file(f"{root}/{key}.json"))
            return record
        except FileNotFoundError:
            pass
        try:
            chunks, vectors = self._embed(_DOCUMENTS.validate_json(documents))
        except InputError as error:
            return {"key": key, "error": str(error), "documents": 0, "chunks": 0, "sentences": 0}
        record = {
            "key": key,
            "error": "",
            "documents": len({chunk.doc_id for chunk in chunks}),
            "chunks": len(chunks),
            "sentences": len(vectors),
        }
        _put(files, f"{root}/{key}.parquet", _parquet(chunks))
        buffer = BytesIO()
        np.save(buffer, vectors, allow_pickle=False)
        _put(files, f"{root}/{key}.npy", buffer.getvalue())
        _put(files, f"{root}/{key}.json", json.dumps(record).encode())
        return record

    def _embed(self, documents: list[Document]) -> tuple[list[Chunk], Any]:
        plan = self._plan
        model = embedding_model(plan.model, plan.dtype)
        if model.fingerprint != plan.fingerprint:
            raise InputError(f"a worker has other weights of {plan.model} than this machine")
        chunks: list[Chunk] = []
        for document in documents:
            document_chunks = chunk_document(
                document,
                first_id=len(chunks),
                chunk_tokens=plan.chunk_tokens,
                count_tokens=model.count_tokens,
            )
            if not document_chunks:
                raise InputError(
                    f"document {document.doc_id} is empty; remove it from the source or mend it"
                )
            chunks += document_chunks
        texts = [
            (f"{chunk.prefix} " if plan.embed_prefix and chunk.prefix else "") + chunk.text[a:b]
            for chunk in chunks
            for a, b in chunk.sentences
        ]
        return chunks, model.encode(texts)


def _put(files: Any, path: str, content: bytes) -> None:
    """Write a file atomically, because other workers may read or write it."""
    files.makedirs(path.rpartition("/")[0], exist_ok=True)
    if "file" in files.protocol:
        temporary = f"{path}.{hashlib.sha256(content).hexdigest()[:8]}.tmp"
        files.pipe_file(temporary, content)
        files.mv(temporary, path)
    else:
        files.pipe_file(path, content)


def _parquet(chunks: list[Chunk]) -> bytes:
    rows = list(map(layout.chunk_row, chunks))
    columns = [name for name in layout.CHUNK_COLUMNS.names if name != "lower"]
    schema = pa.schema([layout.CHUNK_COLUMNS.field(name) for name in columns])
    buffer = BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema), buffer)
    return buffer.getvalue()


def write_fragments(
    plan: PartPlan, key: str, first: int, root: str, dimension: int
) -> tuple[list[str], list[str]]:
    """Write a part as fragments of the datasets, which are committed later.

    Args:
        plan: Where the parts are.
        key: Name of the part.
        first: Id of its first chunk.
        root: Folder or address of the datasets.
        dimension: Length of a vector.

    Returns:
        Descriptions of the fragments of chunks and of sentences, as JSON.
    """
    files, folder = fsspec.core.url_to_fs(plan.folder)
    rows = pq.read_table(BytesIO(files.cat_file(f"{folder}/{key}.parquet"))).to_pylist()
    vectors = np.load(BytesIO(files.cat_file(f"{folder}/{key}.npy")), allow_pickle=False)
    lengths = [len(row["starts"]) for row in rows]
    local = np.repeat(np.arange(len(rows)), lengths)
    positions = np.concatenate([np.arange(length) for length in lengths])
    named = {name: pa.array([row[name] for row in rows]) for name in layout.FILTERED}
    columns = layout.sentence_columns(dimension)
    sentences = sentence_batch(columns, local, positions, named, vectors)
    sentences = sentences.set_column(0, columns.field(0), pa.array(local + first, pa.int64()))
    for row in rows:
        row["chunk_id"] += first
    chunks = chunk_batch(rows)
    return (
        _fragments(chunks, f"{root}/{layout.CHUNKS}"),
        _fragments(sentences, f"{root}/{layout.SENTENCES}"),
    )


def _fragments(batch: pa.RecordBatch, uri: str) -> list[str]:
    layout.engine()
    from lance.fragment import write_fragments

    fragments = write_fragments(
        pa.Table.from_batches([batch]), uri, mode="create", storage_options=layout.options(uri)
    )
    return [json.dumps(fragment.to_json()) for fragment in fragments]
