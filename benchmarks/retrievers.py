"""How much of the gold evidence each retriever finds: python -m benchmarks.retrievers CORPUS [CROSS-ENCODER]."""

import json
import sys
from statistics import fmean
from typing import get_args

import anyio

from arag_inspect.corpus import Corpus
from arag_inspect.tools.retrieval import Retriever, load_retriever, retrieve

TOP_K = 5


async def measure(*words: str) -> None:
    name, rerank = words[0], words[1] if len(words) > 1 else None
    corpus = await Corpus.open_async(name)
    lines = (corpus.path / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    samples = [sample for sample in map(json.loads, lines) if sample["metadata"]["gold_chunk_ids"]]
    print(f"{len(samples)} samples, {len(corpus)} chunks")
    for retriever in get_args(Retriever):
        await load_retriever(corpus, retriever, rerank)
        for scope in ("corpus", "document"):
            recalls, firsts = [], []
            for sample in samples:
                gold = set(sample["metadata"]["gold_chunk_ids"])
                docs = sample["metadata"]["doc_ids"] if scope == "document" else None
                allowed = corpus.filter(doc_ids=docs)
                hits = await retrieve(corpus, sample["input"], TOP_K, allowed, retriever, rerank)
                found = [hit.chunk_id in gold for hit in hits]
                recalls.append(sum(found) / len(gold))
                firsts.append(any(found))
            print(
                f"{retriever:8} {scope:9} recall@{TOP_K} {fmean(recalls):.3f}  "
                f"any gold chunk {fmean(firsts):.3f}"
            )


if __name__ == "__main__":
    anyio.run(measure, *sys.argv[1:3])
