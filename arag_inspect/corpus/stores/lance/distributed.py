"""Build a corpus on many machines, with Ray Data, into Lance datasets."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import fsspec
import numpy as np
import pyarrow as pa
from pydantic import TypeAdapter

from ...._util.cluster import ray_cluster
from ...._util.errors import InputError
from ...address import ADDRESS
from ...builder import Extras, chunks_of, describe, distinct, passages
from ...chunking import Document
from ...chunks import Chunk, DocumentChunks, chunk_line, chunk_lines
from ...embedding_models import DType, Vectors, embedding_model
from ...manifest import COUNTED, Manifest
from ...model_files import DEFAULT_MODEL
from .. import lance as datasets
from .store import LanceStore
from .write import build_indices, place_corpus, remove_parts, working_parts

_DOCUMENTS = TypeAdapter(list[Document])
_PART = 32
"""Documents of a part, the unit of a worker's work and of its repetition."""

_SAMPLES = 256
"""Vectors per partition from which the centres are learned; Lance's own number."""


def build_on_ray(
    documents: Iterable[Document],
    out: str,
    *,
    chunk_tokens: int = 1000,
    model: str = DEFAULT_MODEL,
    dtype: DType = "float32",
    embed_prefix: bool = True,
    annotate: Callable[[Mapping[str, Sequence[Chunk]]], Extras] | None = None,
    address: str | None = None,
    **description: Any,
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
        chunk_tokens: Longest chunk, in tokens.
        model: Embedding model.
        dtype: Arithmetic of the embedding model.
        embed_prefix: Embed each sentence with its chunk's prefix.
        annotate: See `build_corpus`.
        address: The cluster; None starts Ray on this machine.
        description: `dataset`, `split`, `source` and `command`; see `build_corpus`.

    Returns:
        The manifest of the new corpus.

    Raises:
        InputError: No cluster, no documents, a document that is empty or occurs twice, or `out`
            cannot be written.
    """
    datasets.engine()
    encoder = embedding_model(model, dtype)
    parts = working_parts(out)
    plan = PartPlan(parts, model, encoder.dtype, encoder.fingerprint, chunk_tokens, embed_prefix)
    with ray_cluster(address) as ray, TemporaryDirectory() as work:
        records = _chunk_and_embed(ray, _batches(documents), plan)
        if not records:
            raise InputError(f"no text to index for {out}: the source has no documents with text")
        keys = hashlib.sha256(json.dumps([part["key"] for part in records]).encode()).hexdigest()
        folder = f"data-{keys[:16]}"
        manifest = describe(
            encoder,
            embed_prefix,
            chunk_tokens=chunk_tokens,
            counts=_sum_counts(records),
            files={},
            **description,
        )
        if manifest.embedding.machine is not None:  # the driver's, but for the device
            devices = {part.get("device", "unknown") for part in records}
            manifest.embedding.machine.device = ", ".join(sorted(devices))

        def write(root: str) -> Manifest:
            """Write the datasets, and the small files into `work`."""
            with datasets.lance_errors(root):
                chunks, sentences = _commit(ray, records, plan, root, encoder.dimension)
                create = partial(create_in_segments, ray)
                data = build_indices(chunks, sentences, folder, keys, create)
            indexed = manifest.model_copy(update={"lance": data})
            if annotate is None:
                return indexed
            small_files = Path(work)
            (small_files / ADDRESS).write_text(root.rpartition("/")[0], encoding="utf-8")
            store = LanceStore(small_files, indexed)
            extras = annotate(DocumentChunks(store.doc_ids, store.document_chunks))
            return indexed.with_files(small_files, extras.files, extras.counts)

        manifest = place_corpus(out, write, Path(work), folder)
    remove_parts(parts)
    return manifest


def _sum_counts(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Add up the counts of the parts; a count of zero is left out."""
    totals = {name: sum(part.get(name, 0) for part in records) for name in COUNTED}
    return {name: total for name, total in totals.items() if total}


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
        record: dict[str, Any] = {"key": key, "error": ""}
        files, root = fsspec.core.url_to_fs(self._plan.folder)
        try:
            record |= json.loads(files.cat_file(f"{root}/{key}.json"))
            return record
        except FileNotFoundError:
            pass
        try:
            chunks, vectors, counts = self._embed(_DOCUMENTS.validate_json(documents))
        except InputError as error:
            return record | {"error": str(error)}
        record["documents"] = len({chunk.doc_id for chunk in chunks})
        record |= {"chunks": len(chunks), "sentences": len(vectors), **counts}
        record["device"] = embedding_model(self._plan.model, self._plan.dtype).machine.device
        buffer = BytesIO()
        np.save(buffer, vectors, allow_pickle=False)
        _put(files, f"{root}/{key}.jsonl", b"".join(map(chunk_line, chunks)))
        _put(files, f"{root}/{key}.npy", buffer.getvalue())
        _put(files, f"{root}/{key}.json", json.dumps(record).encode())
        return record

    def _embed(self, documents: list[Document]) -> tuple[list[Chunk], Vectors, Counter[str]]:
        plan = self._plan
        model = embedding_model(plan.model, plan.dtype)
        if model.fingerprint != plan.fingerprint:
            raise InputError(f"a worker has other weights of {plan.model} than this machine")
        chunks, counts = list[Chunk](), Counter[str]()
        for document in documents:
            chunks += chunks_of(document, len(chunks), plan.chunk_tokens, model, counts)
        return chunks, model.encode(passages(chunks, plan.embed_prefix)), counts


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
    """Write a part as fragments of the datasets, which are committed later.

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
    written = []
    for name, batch in (
        (datasets.CHUNKS, datasets.chunk_batch(chunks)),
        (datasets.SENTENCES, datasets.sentence_batch(chunks, vectors)),
    ):
        uri = f"{root}/{name}"
        rows = pa.Table.from_batches([batch])
        descriptions = fragment.write_fragments(rows, uri, mode="create")
        written.append([json.dumps(description.to_json()) for description in descriptions])
    return tuple(written)


def _batches(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the documents in parts, as JSON."""
    remaining = distinct(documents)
    while part := list(islice(remaining, _PART)):
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


def _commit(
    ray: Any, records: list[dict[str, Any]], plan: PartPlan, root: str, dimension: int
) -> list[Any]:
    """Write the parts as fragments, and commit each dataset once; returns both, opened."""
    first_ids = np.cumsum([0, *(part["chunks"] for part in records)]).tolist()
    write = ray.remote(num_cpus=0.25, max_retries=5)(write_fragments)
    calls = [
        write.remote(plan, part["key"], first_id, root)
        for part, first_id in zip(records, first_ids, strict=False)
    ]
    written = zip(*ray.get(calls), strict=True)
    lance = datasets.engine()
    columns = {
        datasets.CHUNKS: datasets.CHUNK_COLUMNS,
        datasets.SENTENCES: datasets.sentence_columns(dimension),
    }
    committed = []
    for (name, schema), lists in zip(columns.items(), written, strict=True):
        fragments = [lance.FragmentMetadata.from_json(text) for texts in lists for text in texts]
        uri = f"{root}/{name}"
        operation = lance.LanceOperation.Overwrite(schema, fragments)
        committed.append(lance.LanceDataset.commit(uri, operation))
    return committed


def create_in_segments(ray: Any, dataset: Any, column: str, kind: str, **options: Any) -> None:
    """Build an index on the workers of a cluster, which the driver commits.

    A lost worker costs its segment. The partitions of vectors, and how these are rounded, are
    learned on one worker (on a GPU where the cluster has one) and shared by all segments.

    Args:
        ray: The module `ray`, connected.
        dataset: The Lance dataset.
        column: Column to index.
        kind: Type of the index, as Lance names it.
        options: Options of the index.
    """
    resources = ray.cluster_resources()
    name = f"{column}_idx"
    if kind == "IVF_RQ":
        gpus = min(1, int(resources.get("GPU", 0)))
        learn = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=5)(_shared_model)
        options |= ray.get(learn.remote(dataset.uri, column, bool(gpus), **options))
    fragments = [fragment.fragment_id for fragment in dataset.get_fragments()]
    workers = min(len(fragments), max(1, int(resources.get("CPU", 1))))
    build = ray.remote(num_cpus=1, max_retries=5)(_segment)
    segments = [
        build.remote(dataset.uri, column, kind, options | {"name": name, "fragment_ids": ids})
        for ids in map(np.ndarray.tolist, np.array_split(fragments, workers))
    ]
    dataset.commit_existing_index_segments(name, column, ray.get(segments))


def _segment(uri: str, column: str, kind: str, options: dict[str, Any]) -> Any:
    """Index some fragments; returns Lance's description of the segment."""
    return datasets.open_dataset(uri).create_index_uncommitted(column, kind, **options)


def _shared_model(
    uri: str, column: str, gpu: bool, *, metric: str, num_partitions: int, num_bits: int
) -> dict[str, Any]:
    """Learn the index options that all segments of a vector index share."""
    dataset = datasets.open_dataset(uri)
    from lance.indices import IndicesBuilder
    from lance.lance import indices

    learned = IndicesBuilder(dataset, column).train_ivf(
        num_partitions,
        distance_type=metric,
        sample_rate=min(_SAMPLES, dataset.count_rows() // num_partitions),
        accelerator="cuda" if gpu else None,
    )
    dimension = dataset.schema.field(column).type.list_size
    return {
        "ivf_centroids": learned.centroids,
        "rabitq_model": indices.build_rq_model(dimension=dimension, num_bits=num_bits),
    }
