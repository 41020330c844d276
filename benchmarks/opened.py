"""A process of its own for `memory`: opens a corpus, searches it, and prints what that took."""

import json
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import anyio

from arag_inspect.corpus import Corpus

from .material import documents, keyword_queries, pieces, questions


def main(folder: str) -> None:
    """Print times and memory as one line of JSON."""
    import faiss  # noqa: F401
    import sentence_transformers  # noqa: F401

    calls = documents(20)
    keywords = keyword_queries(pieces(40), 40)
    asked = questions(20, calls)
    found: dict[str, float | None] = {"imported_mib": _memory("VmRSS")}
    start = perf_counter()
    corpus = Corpus.open(folder)
    found["open_s"] = perf_counter() - start
    found |= anyio.run(_search, corpus, keywords, asked)
    found["peak_mib"] = _memory("VmHWM")
    found["own_mib"] = _memory("RssAnon")
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


def _memory(field: str) -> float | None:
    """A figure of the process's memory in MiB; None where the system does not say."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    values = [int(line.split()[1]) for line in lines if line.startswith(f"{field}:")]
    return values[0] / 1024 if values else None


if __name__ == "__main__":
    main(sys.argv[1])
