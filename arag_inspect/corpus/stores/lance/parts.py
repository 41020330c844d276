"""Parts of a corpus, which workers chunk, embed and write as fragments."""

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
from pydantic import TypeAdapter

from ...._util.errors import InputError
from ...chunking import Document
from ...chunks import Chunk, chunk_line, chunk_lines
from ...embedding.models import EmbeddingModel, Vectors, embedding_model
from ...prepared.builder import cut_document, passages
from ...prepared.indexing import Indexing
from .. import lance as datasets

DOCUMENTS = TypeAdapter(list[Document])
"""Reads and writes the documents of a part as JSON."""


@dataclass(frozen=True)
class PartPlan:
    """Settings of the parts, and the folder that keeps them."""

    folder: str
    """Folder or address that every worker reaches."""

    fingerprint: str
    """Identifies the embedding model's weights."""

    indexing: Indexing


class PartMaker:
    """Chunks and embeds parts; an actor of Ray Data has one, with its embedding model."""

    def __init__(self, plan: PartPlan) -> None:
        """Keep the plan; the model is loaded when the first missing part is made."""
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
        record: dict[str, Any] = {"key": key, "error": ""}
        files, root = fsspec.core.url_to_fs(self._plan.folder)
        try:
            record |= json.loads(files.cat_file(f"{root}/{key}.json"))
            return record
        except FileNotFoundError:
            pass
        try:
            chunks, vectors, counts = self._embed(DOCUMENTS.validate_json(documents))
        except InputError as error:
            return record | {"error": str(error)}
        record["documents"] = len({chunk.doc_id for chunk in chunks})
        record |= {"chunks": len(chunks), "sentences": len(vectors), **counts}
        record["device"] = self._model().machine.device
        buffer = BytesIO()
        np.save(buffer, vectors, allow_pickle=False)
        _put(files, f"{root}/{key}.jsonl", b"".join(map(chunk_line, chunks)))
        _put(files, f"{root}/{key}.npy", buffer.getvalue())
        _put(files, f"{root}/{key}.json", json.dumps(record).encode())
        return record

    def _embed(self, documents: list[Document]) -> tuple[list[Chunk], Vectors, Counter[str]]:
        indexing = self._plan.indexing
        model = self._model()
        if model.fingerprint != self._plan.fingerprint:
            raise InputError(
                f"a worker has other weights of {indexing.embedding_model} than this machine"
            )
        chunks: list[Chunk] = []
        counts: Counter[str] = Counter()
        for document in documents:
            chunked = cut_document(document, len(chunks), indexing.chunk_tokens, model)
            chunks += chunked.chunks
            counts["sentences_cut"] += chunked.sentences_cut
        return chunks, model.encode(passages(chunks, indexing.embed_prefix)), +counts

    def _model(self) -> EmbeddingModel:
        indexing = self._plan.indexing
        return embedding_model(indexing.embedding_model, indexing.dtype)


def _put(files: Any, path: str, content: bytes) -> None:
    """Write a file atomically, because other workers may read or write it."""
    files.makedirs(path.rpartition("/")[0], exist_ok=True)
    if "file" in files.protocol:
        temporary = f"{path}.{hashlib.sha256(content).hexdigest()[:8]}.tmp"
        files.pipe_file(temporary, content)
        files.mv(temporary, path)
    else:
        files.pipe_file(path, content)


def write_fragments(plan: PartPlan, key: str, first_id: int, root: str) -> tuple[list[str], ...]:
    """Write a part as fragments of the datasets, to be committed later.

    Args:
        plan: Where the parts are.
        key: Name of the part.
        first_id: Id of its first chunk.
        root: Folder or address of the datasets.

    Returns:
        Descriptions of the fragments of chunks and of sentences, as JSON.
    """
    datasets.engine()
    from lance import fragment

    files, folder = fsspec.core.url_to_fs(plan.folder)
    lines = files.cat_file(f"{folder}/{key}.jsonl").splitlines()
    chunks = [replace(c, chunk_id=first_id + c.chunk_id) for c in chunk_lines(lines)]
    vectors = np.load(BytesIO(files.cat_file(f"{folder}/{key}.npy")), allow_pickle=False)
    descriptions_by_column = []
    for name, batch in (
        (datasets.CHUNKS, datasets.chunk_batch(chunks)),
        (datasets.SENTENCES, datasets.sentence_batch(chunks, vectors)),
    ):
        uri = f"{root}/{name}"
        rows = pa.Table.from_batches([batch])
        descriptions = fragment.write_fragments(rows, uri, mode="create")
        descriptions_by_column.append(
            [json.dumps(description.to_json()) for description in descriptions]
        )
    return tuple(descriptions_by_column)
