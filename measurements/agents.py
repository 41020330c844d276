"""Many agents that search at once, against one query at a time."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from anyio.from_thread import start_blocking_portal

from arag_inspect.corpus import Corpus, Hit, Provenance, build_corpus

from .material import documents, questions, stand_ins
from .measure import Row, best

_AGENTS = 32
_TOP_K = 5


def agents(quick: bool) -> list[Row]:
    """Time searches by meaning over a prepared corpus, with one agent and with many."""
    repeats = 3 if quick else 5
    calls = documents(4 if quick else 100)
    with TemporaryDirectory() as folder, start_blocking_portal() as loop:
        with stand_ins():
            build_corpus(calls, Path(folder) / "corpus", Provenance("benchmark"))
        corpus = Corpus.open(Path(folder) / "corpus")
        rows = []
        for rounds in (1, 8):
            queries = questions(_AGENTS * rounds, calls)
            loop.call(_at_once, corpus, queries)
            (together, ours), (alone, reference) = best(
                [
                    partial(loop.call, _at_once, corpus, queries),
                    partial(loop.call, _one_by_one, corpus, queries),
                ],
                repeats,
            )
            _compare(ours, reference)
            rows.append(
                Row(
                    f"semantic search, {corpus.manifest.counts['sentences']:,} sentences: "
                    f"{_AGENTS} agents at once, {rounds} "
                    f"{'query' if rounds == 1 else 'queries'} each",
                    f"{len(queries) / together:.0f} /s",
                    f"{len(queries) / alone:.0f} /s",
                    alone / together,
                    None if quick else 4,
                    repeats=repeats,
                )
            )
    return rows


async def _one_by_one(corpus: Corpus, queries: list[str]) -> list[list[Hit]]:
    return [await corpus.semantic_search(query, _TOP_K) for query in queries]


async def _at_once(corpus: Corpus, queries: list[str]) -> list[list[Hit]]:
    """Each agent asks its queries one after the other."""
    hits_by_query: dict[str, list[Hit]] = {}

    async def agent(agent_queries: list[str]) -> None:
        for query in agent_queries:
            hits_by_query[query] = await corpus.semantic_search(query, _TOP_K)

    async with anyio.create_task_group() as group:
        for number in range(_AGENTS):
            group.start_soon(agent, queries[number::_AGENTS])
    return [hits_by_query[query] for query in queries]


def _compare(ours: list[list[Hit]], reference: list[list[Hit]]) -> None:
    """Check that queries at once find the same as one by one."""
    for many, one in zip(ours, reference, strict=True):
        assert [hit.chunk_id for hit in many] == [hit.chunk_id for hit in one]
