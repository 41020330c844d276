"""Build a corpus on many machines, with Ray Data, into Lance datasets."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from ...._util.cluster import ray_cluster
from ...._util.errors import InputError
from ...chunking import Document
from ...chunks import Chunk, DocumentChunks
from ...embedding.models import embedding_model
from ...mirror import ADDRESS
from ...prepared.builder import Extras, describe, distinct
from ...prepared.indexing import Indexing
from ...prepared.manifest import COUNTED, Manifest
from ...prepared.provenance import Provenance
from .. import lance as datasets
from .indices import build_indices
from .parts import DOCUMENTS, PartMaker, PartPlan, write_fragments
from .segments import create_in_segments
from .store import LanceStore
from .write import place_corpus, remove_parts, working_parts

_PART = 32
"""Documents in a part, the unit that one worker makes, and remakes after a failure."""


def build_on_ray(
    documents: Iterable[Document],
    out: str,
    provenance: Provenance,
    indexing: Indexing = Indexing(),  # noqa: B008  # immutable
    *,
    annotate: Callable[[Mapping[str, Sequence[Chunk]]], Extras] | None = None,
    address: str | None = None,
) -> Manifest:
    """Chunk, embed and index documents on a Ray cluster.

    The corpus replaces an older one atomically. The driver reads the documents. Actors, each with
    an embedding model and a GPU if the cluster has them, chunk and embed a part of them and leave
    it beside `out`; after an interruption, the same call reuses these parts. Then the parts are
    numbered and written as fragments of the Lance datasets, which are committed once, and indexed
    by the workers. Chunks and ids equal those of `build_corpus`.

    Args:
        documents: Documents to index; read once, in order.
        out: Folder that every node reaches, or address.
        provenance: Where the documents come from.
        indexing: Settings of chunks and vectors.
        annotate: See `build_corpus`.
        address: The cluster; None starts Ray on this machine.

    Returns:
        The manifest of the new corpus.

    Raises:
        InputError: No cluster, no documents, a document that is empty or occurs twice, or `out`
            cannot be written.
    """
    datasets.engine()
    encoder = embedding_model(indexing.embedding_model, indexing.dtype)
    parts = working_parts(out)
    plan = PartPlan(parts, encoder.fingerprint, indexing)
    with ray_cluster(address) as ray, TemporaryDirectory() as work:
        records = _chunk_and_embed(ray, _batches(documents), plan)
        if not records:
            raise InputError(f"no text to index for {out}: the source has no documents with text")
        keys = hashlib.sha256(json.dumps([part["key"] for part in records]).encode()).hexdigest()
        folder = f"data-{keys[:16]}"
        manifest = describe(encoder, provenance, indexing, counts=_sum_counts(records), files={})
        # the machine is the driver's, but the vectors come from the workers' devices
        if manifest.embedding.machine is not None:
            devices = {part.get("device", "unknown") for part in records}
            manifest.embedding.machine.device = ", ".join(sorted(devices))

        def write(root: str) -> Manifest:
            """Write the datasets, and the small files into `work`."""
            with datasets.lance_errors(root):
                chunks, sentences = _write_and_commit(ray, records, plan, root, encoder.dimension)
                create = partial(create_in_segments, ray)
                data = build_indices(chunks, sentences, folder, keys, create)
            indexed = manifest.model_copy(update={"lance": data})
            if annotate is None:
                return indexed
            small_files = Path(work)
            (small_files / ADDRESS).write_text(root.rpartition("/")[0], encoding="utf-8")
            store = LanceStore(small_files, indexed)
            extras = annotate(DocumentChunks(store.doc_ids, store.document_chunks))
            return indexed.write_files(small_files, extras.files, extras.counts)

        manifest = place_corpus(out, write, Path(work), folder)
    remove_parts(parts)
    return manifest


def _sum_counts(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Add up the counts of the parts, without zeros."""
    totals = {}
    for name in COUNTED:
        total = sum(part.get(name, 0) for part in records)
        if total:
            totals[name] = total
    return totals


def _batches(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the documents in parts, as JSON."""
    remaining = distinct(documents)
    while part := list(islice(remaining, _PART)):
        yield DOCUMENTS.dump_json(part).decode()


def _chunk_and_embed(ray: Any, batches: Iterator[str], plan: PartPlan) -> list[dict[str, Any]]:
    """Make every part; return their keys and counts, in order."""
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


def _write_and_commit(
    ray: Any, records: list[dict[str, Any]], plan: PartPlan, root: str, dimension: int
) -> list[Any]:
    """Write the parts as fragments, commit each dataset once, and return both, opened."""
    sizes = [part["chunks"] for part in records]
    first_ids = np.cumsum([0, *sizes]).tolist()
    write = ray.remote(num_cpus=0.25, max_retries=5)(write_fragments)
    calls = [
        write.remote(plan, part["key"], first_id, root)
        for part, first_id in zip(records, first_ids, strict=False)
    ]
    columns_of_parts = zip(*ray.get(calls), strict=True)
    lance = datasets.engine()
    columns = {
        datasets.CHUNKS: datasets.CHUNK_COLUMNS,
        datasets.SENTENCES: datasets.sentence_columns(dimension),
    }
    committed = []
    for (name, schema), lists in zip(columns.items(), columns_of_parts, strict=True):
        fragments = list(map(lance.FragmentMetadata.from_json, chain.from_iterable(lists)))
        uri = f"{root}/{name}"
        operation = lance.LanceOperation.Overwrite(schema, fragments)
        committed.append(lance.LanceDataset.commit(uri, operation))
    return committed
