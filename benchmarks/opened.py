"""A process of its own for `memory`: opens a corpus, searches it, and prints what that took."""

import json
import sys
from statistics import median
from time import perf_counter

import anyio

from arag_inspect.corpus import Corpus

from .material import documents, keyword_queries, pieces, questions
from .measure import memory_of_process


def main(folder: str) -> None:
    """Print times and memory as one line of JSON."""
    import faiss  # noqa: F401
    import torch  # noqa: F401

    calls = documents(20)
    keywords = keyword_queries(pieces(40), 40)
    asked = questions(20, calls)
    found: dict[str, float | None] = {"imported_mib": memory_of_process("VmRSS")}
    start = perf_counter()
    corpus = Corpus.open(folder)
    found["open_s"] = perf_counter() - start
    found |= anyio.run(_search, corpus, keywords, asked)
    found["peak_mib"] = memory_of_process("VmHWM")
    found["own_mib"] = memory_of_process("RssAnon")
    print(json.dumps(found))


async def _search(corpus: Corpus, keywords: list[list[str]], asked: list[str]) -> dict[str, float]:
    by_keyword, by_meaning = [], []
    for query in keywords:
        start = perf_counter()
        await corpus.keyword_search(query, 5)
        by_keyword.append(perf_counter() - start)
    for question in asked:
        start = perf_counter()
        await corpus.semantic_search(question, 5)
        by_meaning.append(perf_counter() - start)
    return {
        "first_keyword_s": by_keyword[0],
        "later_keyword_s": median(by_keyword[1:]),
        "first_semantic_s": by_meaning[0],
        "later_semantic_s": median(by_meaning[1:]),
    }


if __name__ == "__main__":
    main(sys.argv[1])
