"""Lance against the local store as a corpus grows: open, keyword and semantic search, size.

`python -m benchmarks.stores 10000 50000` prints a row for each number of chunks. Chunks have 20
sentences of words drawn by a power law; vectors are random, the worst case for an index.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

from arag_inspect.corpus.manifest import LANCE_VERSION, Embedding, LanceData, Manifest, Source
from arag_inspect.corpus.stores.lance import layout
from arag_inspect.corpus.stores.lance.index import Built, build_indices
from arag_inspect.corpus.stores.lance.store import LanceStore
from arag_inspect.corpus.stores.lance.write import chunk_batch, sentence_batch, write_dataset

_SENTENCES, _WORDS, _DIMENSION, _STEP = 20, 15, 384, 500
_REPEATS = 30


def main() -> None:
    """Measure the numbers of chunks on the command line."""
    print("chunks | build s | MB | open ms | keyword p50/p99 ms | semantic p50/p99 ms | recall@5")
    for chunks in map(int, sys.argv[1:] or ["10000"]):
        with TemporaryDirectory() as work:
            print(_measure(chunks, Path(work)), flush=True)


def _measure(chunks: int, work: Path) -> str:
    started = perf_counter()
    built = _build(chunks, work / "data-0")
    seconds = perf_counter() - started
    manifest = _manifest(chunks, built)
    size = sum(path.stat().st_size for path in work.rglob("*") if path.is_file()) / 1e6
    started = perf_counter()
    store = LanceStore(work, manifest)
    opened = perf_counter() - started
    random = np.random.default_rng(1)
    words = [f"w{number:05d}" for number in random.integers(50, 20_000, _REPEATS)]
    keyword = _times([lambda word=word: store.keyword_search([word], 5, None) for word in words])
    queries = _unit(random, _REPEATS)
    index = store.vector_index(exact=False)
    semantic = _times([lambda query=query: index.search(query[None], 5) for query in queries])
    return (
        f"{chunks:,} | {seconds:.0f} | {size:,.0f} | {1000 * opened:.0f} | "
        f"{keyword} | {semantic} | {built.kind} {built.recall_at_5:.3f}"
    )


def _times(calls: list[Any]) -> str:
    calls[0]()
    taken = []
    for call in calls:
        started = perf_counter()
        call()
        taken.append(1000 * (perf_counter() - started))
    return f"{np.percentile(taken, 50):.0f}/{np.percentile(taken, 99):.0f}"


def _unit(random: np.random.Generator, count: int) -> Any:
    vectors = random.standard_normal((count, _DIMENSION)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _build(chunks: int, root: Path) -> Built:
    columns = layout.sentence_columns(_DIMENSION)
    texts = write_dataset(f"{root}/{layout.CHUNKS}", _chunks(chunks), layout.CHUNK_COLUMNS)
    vectors = write_dataset(f"{root}/{layout.SENTENCES}", _sentences(chunks, columns), columns)
    return build_indices(texts, vectors)


def _chunks(chunks: int) -> Iterator[pa.RecordBatch]:
    random = np.random.default_rng(0)
    for low in range(0, chunks, _STEP):
        rows = []
        for chunk_id in range(low, min(chunks, low + _STEP)):
            drawn = np.minimum(random.zipf(1.3, _SENTENCES * _WORDS), 20_000)
            words = [f"w{number:05d}" for number in drawn]
            parts = [
                f"{' '.join(words[place : place + _WORDS])}."
                for place in range(0, len(words), _WORDS)
            ]
            ends = np.cumsum([len(part) + 1 for part in parts]) - 1
            starts = [0, *(ends[:-1] + 1).tolist()]
            rows.append(
                {
                    "chunk_id": chunk_id,
                    **_names(chunk_id),
                    "section": "",
                    "prefix": f"[{chunk_id // 100}]",
                    "text": " ".join(parts),
                    "tokens": _SENTENCES * _WORDS,
                    "starts": starts,
                    "ends": ends.tolist(),
                }
            )
        yield chunk_batch(rows)


def _names(chunk_id: int) -> dict[str, str]:
    return {
        "doc_id": f"d{chunk_id // 100}",
        "company": f"c{chunk_id // 1000}",
        "period": f"Q{chunk_id // 100 % 4}",
    }


def _sentences(chunks: int, columns: pa.Schema) -> Iterator[pa.RecordBatch]:
    random = np.random.default_rng(2)
    for low in range(0, chunks, _STEP):
        ids = np.arange(low, min(chunks, low + _STEP))
        named = [_names(int(chunk_id)) for chunk_id in ids]
        local = np.repeat(np.arange(len(ids)), _SENTENCES)
        batch = sentence_batch(
            columns,
            local,
            np.tile(np.arange(_SENTENCES), len(ids)),
            {name: pa.array([row[name] for row in named]) for name in layout.FILTERED},
            _unit(random, len(local)),
        )
        yield batch.set_column(0, columns.field(0), pa.array(local + low, pa.int64()))


def _manifest(chunks: int, built: Built) -> Manifest:
    data = LanceData(
        format_version=LANCE_VERSION,
        folder="data-0",
        chunks_sha256="",
        index=built.kind,
        nprobes=built.nprobes,
        refine_factor=built.refine_factor,
        recall_at_5=built.recall_at_5,
    )
    return Manifest(
        format_version=1,
        dataset="synthetic",
        split="",
        command="",
        package_version="",
        source=Source(),
        chunk_tokens=1000,
        tokenizer="",
        embedding=Embedding(
            model="", digest="", dimension=_DIMENSION, dtype="float32", prefix_embedded=False
        ),
        counts={"chunks": chunks, "sentences": chunks * _SENTENCES},
        files={},
        lance=data,
    )


if __name__ == "__main__":
    main()
