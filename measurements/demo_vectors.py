"""Compute the vectors that the package ships for the corpus of the demo.

Run it as `python -m measurements.demo_vectors` after a change of the corpus or of the embedding
model; it takes about a minute. `--out FOLDER` writes elsewhere than into the package.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from arag_inspect._util.files import file_digest
from arag_inspect.corpus import embedding_model
from arag_inspect.corpus.chunks import read_chunks
from arag_inspect.corpus.embedding.shipped_vectors import (
    MANIFEST,
    TEXTS,
    VECTORS,
    Shipment,
    text_digests,
)
from arag_inspect.corpus.prepared.builder import passages
from arag_inspect.corpus.prepared.manifest import INDEX
from arag_inspect.corpus.search.dense_index import read_index
from arag_inspect.run import demo


def write_shipment(out: Path) -> None:
    """Embed the demo's corpus, and write the vector of each distinct text into a folder."""
    with tempfile.TemporaryDirectory() as work:
        prepared = demo.prepare_demo(Path(work) / "demo", shipped=None)
        texts = passages(read_chunks(prepared.folder), embed_prefix=True)
        index = read_index(prepared.folder / INDEX)
        vectors = index.reconstruct_n(0, index.ntotal)
    rows = {text: row for row, text in enumerate(texts)}
    np.save(out / TEXTS, text_digests(list(rows)), allow_pickle=False)
    np.save(out / VECTORS, vectors[list(rows.values())], allow_pickle=False)
    embedding = prepared.manifest.embedding
    assert embedding.machine and embedding.probes
    shipment = Shipment(
        fingerprint=embedding_model().fingerprint,
        files={name: file_digest(out / name) for name in (TEXTS, VECTORS)},
        machine=embedding.machine,
        probes=embedding.probes,
    )
    (out / MANIFEST).write_text(shipment.model_dump_json(indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=demo.VECTORS)
    folder = parser.parse_args().out
    folder.mkdir(exist_ok=True)
    write_shipment(folder)
