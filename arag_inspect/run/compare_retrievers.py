"""Compare retrievers on the gold evidence of a corpus's questions, without a language model."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Literal, NamedTuple, cast, get_args

import anyio
import numpy as np
from inspect_ai import Task
from inspect_ai.dataset import Sample

from .._util.errors import InputError, check_choice
from .._util.progress import Progress, no_progress
from ..benchmarks._shared.task import prepared_dataset
from ..corpus import Corpus, Filter, Hit, read_manifest
from ..report import Table
from ..report.table import Cell, P, Signed
from ..stats.estimates import Codes, Floats, compare, estimate, holm
from ..stats.ranking import RANK_MEASURES, Ranking, rank_quality
from ..systems._run import Scope
from ..systems.tools.retrieval import Retriever, load_retriever, retrieve
from ..text.content_words import content_words
from ..types.sample import SampleMetadata, group_of
from .run_systems import draw_samples

Gold = Literal["chunks", "documents"]
RETRIEVERS = (*get_args(Retriever), "keyword")
"""Those of the systems, and A-RAG's exact search for the question's content words."""

_TOP = 10
_COMPARED = ("recall@5", "nDCG@10")
"""Measures that are compared."""

_ABOUT = (
    "Where the gold evidence is in the first ten results: in the first place, in the first five, the "
    "share of it in the first five, the reciprocal rank of the first, and nDCG with its 95 % interval "
    "over groups of questions. ms: median time of a search."
)
_PAIRED = "On the same questions; p is corrected for all comparisons (Holm)."


class _Search(NamedTuple):
    corpus: str
    retriever: str
    rerank: str | None
    name: str


class _Ranked(NamedTuple):
    search: _Search
    values: dict[str, Floats]
    """By question with gold, its values of `RANK_MEASURES`."""

    milliseconds: float
    """Median time of a search."""


class ComparedRetrievers(NamedTuple):
    """Retrievers compared on the same questions."""

    tables: tuple[Table, ...]
    questions: int
    left_out: int
    """Questions without gold, or that a corpus lacks."""


def compare_retrievers(
    corpora: Sequence[str],
    retrievers: Sequence[str] = get_args(Retriever),
    *,
    rerank: str | None = None,
    gold: Gold = "chunks",
    scope: Scope = "corpus",
    limit: int | None = None,
    progress: Progress = no_progress,
) -> ComparedRetrievers:
    """Search for the gold evidence of every question with each retriever, and compare.

    A row is a retriever on a corpus: two corpora of the same questions, prepared with other
    embedding models or chunk sizes, compare these. Differences are to the first row, with
    intervals over groups of questions (company, else document) and p by randomisation, corrected
    by Holm's method over all of them.

    Args:
        corpora: Prepared corpora, by name, path or address.
        retrievers: Of `RETRIEVERS`.
        rerank: Cross-encoder; each retriever gets a row with its first 50 ordered by it.
        gold: What is to be found: the chunks with the evidence, or a chunk of each document.
        scope: Search the whole corpus, or the documents that the question is about.
        limit: Number of questions, spread over the groups; None for all.
        progress: Reports progress.

    Raises:
        InputError: A retriever or corpus is unknown, or no question has gold in all corpora.
    """
    for name in retrievers:
        check_choice("retriever", name, RETRIEVERS)
    samples = {corpus: _samples(corpus, limit) for corpus in corpora}
    searches = [
        _Search(
            corpus,
            name,
            model,
            (f"{corpus}: " if len(corpora) > 1 else "") + name + (", reranked" if model else ""),
        )
        for corpus in corpora
        for name in retrievers
        for model in dict.fromkeys((None, rerank if name != "keyword" else None))
    ]
    with progress(sum(len(samples[search.corpus]) for search in searches)) as advance:
        ranked = [
            anyio.run(_rank, search, samples[search.corpus], gold, scope, advance)
            for search in searches
        ]
    every = {key: sample for own in samples.values() for key, sample in own.items()}
    ids = [key for key in every if all(key in run.values for run in ranked)]
    if not ids:
        raise InputError(f"no question of {' and '.join(corpora)} has gold {gold}")
    groups = [group_of(every[key].metadata or {}) or f"question {key}" for key in ids]
    clusters = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    return ComparedRetrievers(_tables(ranked, ids, clusters), len(ids), len(every) - len(ids))


def _samples(corpus: str, limit: int | None) -> dict[str, Sample]:
    dataset = prepared_dataset(read_manifest(Corpus.locate(corpus)).dataset, corpus)
    drawn = set(draw_samples(Task(dataset), limit))
    return {str(sample.id): sample for sample in dataset if sample.id in drawn}


async def _rank(
    search: _Search,
    samples: Mapping[str, Sample],
    gold: Gold,
    scope: Scope,
    advance: Callable[[], None],
) -> _Ranked:
    corpus = Corpus.open(search.corpus)
    retriever = cast(Retriever, "dense" if search.retriever == "keyword" else search.retriever)
    await load_retriever(corpus, retriever, search.rerank)  # before the clock runs
    rankings: dict[str, Ranking] = {}
    seconds: list[float] = []
    for key, sample in samples.items():
        about = SampleMetadata.model_validate(sample.metadata or {})
        relevant = about.gold.by_chunk if gold == "chunks" else dict.fromkeys(about.doc_ids, ())
        if relevant:
            doc_ids = about.doc_ids if scope == "sample_documents" else ()
            allowed = corpus.filter(doc_ids=doc_ids or None)
            start = time.perf_counter()
            hits = await _search(corpus, search, str(sample.input), allowed)
            seconds.append(time.perf_counter() - start)
            chunk_ids = [hit.chunk_id for hit in hits]
            documents = [corpus.chunk(chunk_id).doc_id for chunk_id in chunk_ids]
            rankings[key] = Ranking(chunk_ids if gold == "chunks" else documents, relevant)
        advance()
    values = rank_quality(list(rankings.values()))
    return _Ranked(search, dict(zip(rankings, values, strict=True)), 1000 * median(seconds or [0]))


async def _search(
    corpus: Corpus, search: _Search, question: str, allowed: Filter | None
) -> Sequence[Hit]:
    if search.retriever == "keyword":
        return await corpus.keyword_search(sorted(content_words(question.lower())), _TOP, allowed)
    retriever = cast(Retriever, search.retriever)
    return await retrieve(corpus, question, _TOP, allowed, retriever, search.rerank)


def _tables(ranked: Sequence[_Ranked], ids: Sequence[str], clusters: Codes) -> tuple[Table, ...]:
    names = [run.search.name for run in ranked]
    columns = [
        dict(zip(RANK_MEASURES, np.array([run.values[key] for key in ids]).T, strict=True))
        for run in ranked
    ]
    means: tuple[tuple[Cell, ...], ...] = tuple(
        (
            run.search.name,
            *(float(values.mean()) for values in [*own.values()][:-1]),
            estimate(own["nDCG@10"], clusters, (0.0, 1.0)),
            run.milliseconds,
        )
        for run, own in zip(ranked, columns, strict=True)
    )
    pairs = [
        (name, measure, paired)
        for name, own in zip(names[1:], columns[1:], strict=True)
        for measure in _COMPARED
        if (paired := compare(own[measure], columns[0][measure], clusters, span=1.0))
    ]
    differences = tuple(
        (
            *(name, measure, Signed(paired.difference, paired.low, paired.high), P(p)),
            *(paired.wins, paired.ties, paired.losses),
        )
        for (name, measure, paired), p in zip(pairs, holm([own[2].p for own in pairs]), strict=True)
    )
    heads = "retriever", *RANK_MEASURES, "ms"
    tables = [Table("retrievers", "Retrievers", _ABOUT, heads, means)]
    if differences:
        heads = "retriever", "measure", "difference", "p", "better", "same", "worse"
        title = f"Differences to {names[0]}"
        tables.append(Table("differences", title, _PAIRED, heads, differences))
    return tuple(tables)
