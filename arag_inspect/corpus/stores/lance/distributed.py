"""Build a corpus on many machines, with Ray Data, into Lance datasets."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import TypeAdapter

from ...._util.cluster import ray_cluster
from ...._util.errors import InputError
from ...address import ADDRESS
from ...builder import Extras, describe, distinct
from ...chunk_store import DocumentChunks
from ...chunking import Chunk
from ...document import Document
from ...embeddings import DEFAULT_MODEL, DType, embedding_model, file_digest
from ...manifest import LANCE_VERSION, LanceData, Manifest, Source
from . import layout
from .index import build_indices
from .parts import PartMaker, PartPlan, write_fragments
from .segments import create_in_segments
from .store import LanceStore
from .write import place_corpus, remove_parts, working_parts

_DOCUMENTS = TypeAdapter(list[Document])
_PART = 32
"""Documents of a part, the unit of a worker's work and of its repetition."""


def build_on_ray(
    documents: Iterable[Document],
    out: str,
    *,
    dataset: str,
    split: str = "",
    source: Source | None = None,
    chunk_tokens: int = 1000,
    model: str = DEFAULT_MODEL,
    dtype: DType = "auto",
    embed_prefix: bool = True,
    annotate: Callable[[Mapping[str, Sequence[Chunk]]], Extras] | None = None,
    command: str,
    address: str | None = None,
) -> Manifest:
    """Chunk, embed and index documents on a Ray cluster.

    The corpus replaces an older one as a whole. The driver reads the documents. Actors, each with
    an embedding model and a GPU if the cluster has them, chunk and embed a part of them and leave
    it beside `out`; after an interruption, the same call reuses these parts. Then the parts are
    numbered and written as fragments of the Lance datasets, which are committed once, and indexed
    by the workers. Chunks and ids equal those of `build_corpus`.

    Args:
        documents: Documents to index; read once, in order.
        out: Folder that every node reaches, or address.
        dataset: Name of the data set.
        split: Part of the data set.
        source: Origin of the documents.
        chunk_tokens: Longest chunk, in tokens.
        model: Embedding model.
        dtype: Arithmetic of the embedding model.
        embed_prefix: Embed each sentence with its chunk's prefix.
        annotate: See `build_corpus`.
        command: Command that prepares it again.
        address: The cluster; None starts Ray on this machine.

    Returns:
        The manifest of the new corpus.

    Raises:
        InputError: No cluster, no documents, a document that is empty or occurs twice, or `out`
            cannot be written.
    """
    layout.engine()
    encoder = embedding_model(model, dtype)
    parts = working_parts(out)
    plan = PartPlan(parts, model, encoder.dtype, encoder.fingerprint, chunk_tokens, embed_prefix)
    with ray_cluster(address) as ray, TemporaryDirectory() as work:
        records = _chunk_and_embed(ray, _batches(documents), plan)
        if not records:
            raise InputError(f"no text to index for {out}: the source has no documents with text")
        keys = hashlib.sha256(json.dumps([part["key"] for part in records]).encode()).hexdigest()
        counts = {
            name: sum(part[name] for part in records)
            for name in ("documents", "chunks", "sentences")
        }
        folder = f"data-{keys[:16]}"

        def write(root: str) -> Manifest:
            """Write the datasets, and the small files into `work`."""
            with layout.lance_errors(root):
                data = _datasets(ray, records, plan, root, encoder.dimension, folder, keys)
            manifest = describe(
                encoder,
                embed_prefix,
                dataset=dataset,
                split=split,
                command=command,
                source=source or Source(),
                chunk_tokens=chunk_tokens,
                counts=counts,
                files={},
                lance=data,
            )
            return _annotated(manifest, root, Path(work), annotate)

        manifest = place_corpus(out, write, Path(work), folder)
    remove_parts(parts)
    return manifest


def _batches(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the documents in parts, as JSON."""
    rest = distinct(documents)
    while part := list(islice(rest, _PART)):
        yield _DOCUMENTS.dump_json(part).decode()


def _chunk_and_embed(ray: Any, batches: Iterator[str], plan: PartPlan) -> list[dict[str, Any]]:
    """Make every part; returns its key and counts, in order."""
    blocks = [
        ray.put(pa.table({"part": [position], "documents": pa.array([text], pa.large_string())}))
        for position, text in enumerate(batches)
    ]
    if not blocks:
        return []
    resources = ray.cluster_resources()
    gpus = int(resources.get("GPU", 0))
    actors = gpus or max(1, int(resources.get("CPU", 1)) // 2)
    rows: list[dict[str, Any]] = (
        ray.data.from_arrow_refs(blocks)
        .map_batches(
            PartMaker,
            fn_constructor_args=(plan,),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=min(actors, len(blocks))),
            num_gpus=1 if gpus else 0,
            num_cpus=0 if gpus else 1,
        )
        .take_all()
    )
    records = [json.loads(row["made"]) for row in sorted(rows, key=lambda row: row["part"])]
    for part in records:
        if part["error"]:
            raise InputError(part["error"])
    return records


def _datasets(
    ray: Any,
    records: list[dict[str, Any]],
    plan: PartPlan,
    root: str,
    dimension: int,
    folder: str,
    keys: str,
) -> LanceData:
    """Write the parts as fragments, and commit each dataset once."""
    first_ids = np.cumsum([0, *(part["chunks"] for part in records)]).tolist()
    write = ray.remote(num_cpus=0.25, max_retries=5)(write_fragments)
    fragment_pairs = ray.get(
        [
            write.remote(plan, part["key"], first_id, root, dimension)
            for part, first_id in zip(records, first_ids, strict=False)
        ]
    )
    lance = layout.engine()
    datasets = []
    columns = (layout.CHUNK_COLUMNS, layout.sentence_columns(dimension))
    for position, (name, schema) in enumerate(
        zip((layout.CHUNKS, layout.SENTENCES), columns, strict=True)
    ):
        fragments = [
            lance.FragmentMetadata.from_json(text)
            for pair in fragment_pairs
            for text in pair[position]
        ]
        uri = f"{root}/{name}"
        datasets.append(
            lance.LanceDataset.commit(
                uri,
                lance.LanceOperation.Overwrite(schema, fragments),
                storage_options=layout.options(uri),
            )
        )
    chunks, sentences = datasets
    settings = build_indices(chunks, sentences, create=partial(create_in_segments, ray))
    return LanceData(
        format_version=LANCE_VERSION,
        folder=folder,
        chunks_sha256=keys,
        index=settings.kind,
        nprobes=settings.nprobes,
        refine_factor=settings.refine_factor,
        recall_at_5=settings.recall_at_5,
    )


def _annotated(
    manifest: Manifest,
    root: str,
    work: Path,
    annotate: Callable[[Mapping[str, Sequence[Chunk]]], Extras] | None,
) -> Manifest:
    """Write the data set's small files into `work`; add them to the manifest."""
    if annotate is None:
        return manifest
    (work / ADDRESS).write_text(root.rpartition("/")[0], encoding="utf-8")
    extras = annotate(DocumentChunks(LanceStore(work, manifest)))
    for name, text in extras.files.items():
        (work / name).write_text(text, encoding="utf-8")
    return manifest.model_copy(
        update={
            "counts": {**manifest.counts, **extras.counts},
            "files": {name: file_digest(work / name) for name in extras.files},
        }
    )
