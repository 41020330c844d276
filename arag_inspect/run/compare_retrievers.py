"""Compare retrievers on the gold evidence of a corpus's questions, without a language model."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from statistics import median
from typing import Any, Literal, NamedTuple, cast, get_args

import anyio
import numpy as np
from inspect_ai import Task
from inspect_ai.dataset import Sample

from .._util.errors import InputError, check_choice
from .._util.progress import Progress, no_progress
from ..benchmark.samples import read_corpus_samples
from ..corpus import Corpus, Filter, Hit, read_manifest
from ..report import Table
from ..report.cells import Cell, P, Signed
from ..stats.estimates import Floats, estimate, paired_difference
from ..stats.multiple_tests import holm
from ..stats.ranking import RANK_MEASURES, Ranking, rank_quality
from ..stats.strata import Codes
from ..systems.tools.retrieval import Retrieval, Retriever, Scope
from ..text.content_words import content_words
from ..types.sample import SampleMetadata, group_of
from .experiment import draw_samples

GoldUnit = Literal["chunks", "documents"]
RETRIEVERS = (*get_args(Retriever), "keyword")
"""Retrievers of the systems, and A-RAG's exact search for the question's content words."""

_TOP = 10
_WITH_INTERVAL = "nDCG@10"
_COMPARED = ("recall@5", "nDCG@10")
"""Measures that are compared."""

_ABOUT = (
    "hit@1 and hit@5: gold evidence in the first result, in the first five; recall@5: share of it "
    "there; MRR@10: reciprocal rank of the first; nDCG@10 with its 95 % interval over groups of "
    "questions. ms: median time of a search."
)
_PAIRED = "On the same questions; p is corrected for all comparisons (Holm)."


class _Search(NamedTuple):
    corpus: str
    retrieval: Retrieval | None
    """None for exact search."""

    name: str


class _Ranked(NamedTuple):
    search: _Search
    values: dict[str, Floats]
    """Values of `RANK_MEASURES` by question with gold evidence."""

    milliseconds: float
    """Median time of a search."""


class RetrieverComparison(NamedTuple):
    """Retrievers compared on the same questions."""

    tables: tuple[Table, ...]
    questions: int
    left_out: int
    """Number of questions without gold evidence or missing from a corpus."""


def compare_retrievers(
    corpora: Sequence[str],
    retrievers: Sequence[str] = get_args(Retriever),
    *,
    rerank: str | None = None,
    gold: GoldUnit = "chunks",
    scope: Scope = "corpus",
    limit: int | None = None,
    progress: Progress = no_progress,
) -> RetrieverComparison:
    """Search for the gold evidence of every question with each retriever, and compare results.

    Each row is a retriever on a corpus. To compare embedding models or chunk sizes, pass corpora
    of the same questions prepared with each. Differences are to the first row, with intervals over
    groups of questions (company, else document) and p-values by randomisation, corrected by Holm's
    method over all differences.

    Args:
        corpora: Prepared corpora, by name, path or address.
        retrievers: Names from `RETRIEVERS`.
        rerank: Cross-encoder; adds a row per retriever with its first 50 results reranked.
        gold: Target of the search: the chunks with the evidence, or a chunk of each document.
        scope: Search the whole corpus, or the documents that the question is about.
        limit: Number of questions, spread over the groups; None for all.
        progress: Reports progress.

    Raises:
        InputError: A retriever or corpus is unknown, or no question has gold in all corpora.
    """
    for name in retrievers:
        check_choice("retriever", name, RETRIEVERS)
    samples = {corpus: _samples(corpus, limit) for corpus in corpora}
    searches = [*_searches(corpora, retrievers, rerank)]
    with progress(sum(len(samples[search.corpus]) for search in searches)) as advance:
        ranked = [
            anyio.run(_rank, search, samples[search.corpus], gold, scope, advance)
            for search in searches
        ]
    all_samples: dict[str, Sample] = {}
    for corpus_samples in samples.values():
        all_samples |= corpus_samples
    ids = list(all_samples)
    for run in ranked:
        ids = [key for key in ids if key in run.values]
    if not ids:
        raise InputError(f"no question of {' and '.join(corpora)} has gold {gold}")
    groups = [group_of(all_samples[key].metadata or {}) or f"question {key}" for key in ids]
    clusters = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    return RetrieverComparison(
        _tables(ranked, ids, clusters), len(ids), len(all_samples) - len(ids)
    )


def _searches(
    corpora: Sequence[str], retrievers: Sequence[str], rerank: str | None
) -> Iterator[_Search]:
    """Yield each retriever on each corpus, and again reranked; keyword search is not reranked."""
    for corpus, name in product(corpora, retrievers):
        title = f"{corpus}: {name}" if len(corpora) > 1 else name
        if name == "keyword":
            yield _Search(corpus, None, title)
            continue
        retriever = cast(Retriever, name)
        yield _Search(corpus, Retrieval(retriever), title)
        if rerank:
            yield _Search(corpus, Retrieval(retriever, rerank), f"{title}, reranked")


def _samples(corpus: str, limit: int | None) -> dict[str, Sample]:
    dataset = read_corpus_samples(corpus, read_manifest(Corpus.locate(corpus)))
    drawn_ids = set(draw_samples(Task(dataset), limit))
    return {str(sample.id): sample for sample in dataset if sample.id in drawn_ids}


async def _rank(
    search: _Search,
    samples: Mapping[str, Sample],
    gold: GoldUnit,
    scope: Scope,
    advance: Callable[[], None],
) -> _Ranked:
    corpus = Corpus.open(search.corpus)
    await (search.retrieval or Retrieval()).load(corpus)  # before the clock runs
    rankings: dict[str, Ranking] = {}
    seconds: list[float] = []
    for key, sample in samples.items():
        sample_metadata = SampleMetadata.model_validate(sample.metadata or {})
        relevant = _relevant(sample_metadata, gold)
        if relevant:
            doc_ids = sample_metadata.doc_ids if scope == "sample_documents" else ()
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


def _relevant(metadata: SampleMetadata, gold: GoldUnit) -> Mapping[Any, tuple[int, ...]]:
    """Return the chunks or documents to find for a question, with their copies."""
    if gold == "chunks":
        return metadata.gold.by_chunk
    return dict.fromkeys(metadata.doc_ids, ())


async def _search(corpus: Corpus, search: _Search, question: str, allowed: Filter) -> Sequence[Hit]:
    if search.retrieval is None:
        return await corpus.keyword_search(sorted(content_words(question.lower())), _TOP, allowed)
    return await search.retrieval.search(corpus, question, _TOP, allowed)


def _tables(ranked: Sequence[_Ranked], ids: Sequence[str], clusters: Codes) -> tuple[Table, ...]:
    columns = [_columns(run, ids) for run in ranked]
    rows: list[tuple[Cell, ...]] = []
    for run, values in zip(ranked, columns, strict=True):
        means = [float(values[name].mean()) for name in RANK_MEASURES if name != _WITH_INTERVAL]
        estimated = estimate(values[_WITH_INTERVAL], clusters, (0.0, 1.0))
        rows.append((run.search.name, *means, estimated, run.milliseconds))
    heads = "retriever", *RANK_MEASURES, "ms"
    tables = [Table("retrievers", "Retrievers", _ABOUT, heads, tuple(rows))]
    first, *others = [run.search.name for run in ranked]
    differences = _differences(others, columns, clusters)
    if differences:
        heads = "retriever", "measure", "difference", "p", "better", "same", "worse"
        title = f"Differences to {first}"
        tables.append(Table("differences", title, _PAIRED, heads, differences))
    return tuple(tables)


def _columns(run: _Ranked, ids: Sequence[str]) -> dict[str, Floats]:
    """Return the values of some questions, by measure."""
    question_values = np.array([run.values[key] for key in ids])
    return dict(zip(RANK_MEASURES, question_values.T, strict=True))


def _differences(
    others: Sequence[str], columns: Sequence[Mapping[str, Floats]], clusters: Codes
) -> tuple[tuple[Cell, ...], ...]:
    """Return the rows of the differences to the first retriever, corrected for their number."""
    first, *other_columns = columns
    pairs = []
    for (name, values), measure in product(zip(others, other_columns, strict=True), _COMPARED):
        paired = paired_difference(values[measure], first[measure], clusters, span=1.0)
        if paired:
            pairs.append((name, measure, paired))
    corrected = holm([paired.p for _, _, paired in pairs])
    rows: list[tuple[Cell, ...]] = []
    for (name, measure, paired), p in zip(pairs, corrected, strict=True):
        difference = Signed.of(paired)
        counts = paired.wins, paired.ties, paired.losses
        rows.append((name, measure, difference, P(p), *counts))
    return tuple(rows)
