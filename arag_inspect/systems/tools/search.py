"""Tools of the A-RAG paper that search a prepared corpus and read its chunks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from inspect_ai.tool import Tool, ToolError, tool

from arag_inspect._util.bounds import CHUNK_IDS, KEYWORD, KEYWORDS, MOST_OFFSET, QUERY, cut
from arag_inspect._util.encodable import encodable
from arag_inspect.corpus import EVERYTHING, Chunk, Corpus, Filter
from arag_inspect.prompts import fence
from arag_inspect.systems.tools.results import count_line, join_paragraphs, no_chunk, show_results
from arag_inspect.systems.tools.retrieval import Retrieval, Retriever
from arag_inspect.types.trace import Passage, current_loop, current_trace

MAX_RESULTS = 20
"""Maximum chunks that a tool shows at once."""

Ids = list[int | str] | int | str
"""Chunk ids as models write them: numbers or texts, several or one."""

_NUMBER = re.compile(r"(-?\d{1,18})(?:\.0+\b)?")


class ScopedCorpus(NamedTuple):
    """A corpus and the chunks that a tool may show."""

    corpus: Corpus
    allowed: Filter


async def open_scoped(corpus: str, doc_ids: Sequence[str] | None = None) -> ScopedCorpus:
    """Open a corpus, which is cached, in a worker thread.

    Args:
        corpus: Name or path.
        doc_ids: Documents to search; None for all.
    """
    opened = await Corpus.open_async(corpus)
    return ScopedCorpus(opened, opened.filter(doc_ids=doc_ids))


class Requested(NamedTuple):
    """Chunks that a model requests, and a note on the rest."""

    chunks: list[Chunk]
    note: str
    """Which ids were left out and why; empty if none."""


async def read_requested(ids: Ids, corpus: Corpus, allowed: Filter = EVERYTHING) -> Requested:
    """Read the chunks of the ids that a model gives, as `12`, `"12"` or `"[12, 13]"`.

    Args:
        ids: As the model wrote them; after `MAX_RESULTS` chunks the rest is left out.
        corpus: Corpus of the chunks.
        allowed: Chunks that may be shown.

    Raises:
        ToolError: No chunk is left.
    """
    several = ids if isinstance(ids, list) else [ids]
    one_more = CHUNK_IDS.maximum + 1
    first_numbers = list(islice(_numbers(several[:one_more]), one_more))
    accepted, notice = cut(first_numbers, CHUNK_IDS)
    numbers = dict.fromkeys(accepted)
    valid_ids = [number for number in numbers if 0 <= number < len(corpus)]
    first = valid_ids[:MAX_RESULTS]
    left_over = valid_ids[MAX_RESULTS:]
    chunks = await corpus.chunks(first) if first else []
    readable = [chunk for chunk in chunks if allowed.allows(chunk)]
    ids_elsewhere = [chunk.chunk_id for chunk in chunks if chunk not in readable]
    unknown = [number for number in numbers if number not in valid_ids]
    notes = []
    if unknown:
        bounds = f"ids go from 0 to {len(corpus) - 1}"
        notes.append(f"no chunk has id {_format_ids(unknown)}; {bounds}")
    if ids_elsewhere:
        notes.append(f"chunk {_format_ids(ids_elsewhere)} is of another document")
    if left_over:
        ids_left = _format_ids(left_over)
        notes.append(f"at most {MAX_RESULTS} are read at once; ask again for {ids_left}")
    if notice:
        notes.append(notice.lower().rstrip("."))
    if not readable:
        reasons = "; ".join(notes) or "chunk_ids has no id"
        raise ToolError(f"{reasons}; take ids from search results.")
    return Requested(readable, f"Left out: {'; '.join(notes)}." if notes else "")


def clamp(number: int | str | None, *, default: int, low: int = 1, high: int = MAX_RESULTS) -> int:
    """Return the number within bounds that is nearest to the model's."""
    numbers = _numbers([] if number is None else [number])
    return max(low, min(next(numbers, default), high))


def _numbers(values: Iterable[int | str]) -> Iterator[int]:
    for value in values:
        for match in _NUMBER.finditer(str(value)):
            yield int(match[1])


def _format_ids(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids[:MAX_RESULTS])) + (", ..." if len(ids) > MAX_RESULTS else "")


@tool(max_output=0)
def keyword_search(*, corpus: str, top_k: int = 5, doc_ids: Sequence[str] | None = None) -> Tool:
    """Find chunks that hold exact keywords.

    Args:
        corpus: Prepared corpus to search, by name or path.
        top_k: Number of chunks to return if the model sets none.
        doc_ids: Documents to search; None for the whole corpus.
    """
    default_top_k = top_k

    async def execute(
        keywords: list[str] | str,
        top_k: int | str | None = default_top_k,
        offset: int | str | None = 0,
        company: str | None = None,
        period: str | None = None,
    ) -> str:
        """Find chunks that contain exact keywords (case-insensitive substrings), best match first.

        Use this for what is written literally: names and dates as headers write them, line items ("free cash flow"), defined terms, figures. Keywords are alternatives: a chunk needs to contain only one of them, in its header or in its text. Its score is the sum over keywords of occurrences times keyword length, so long, specific keywords count most; of equal scores, chunks that contain all keywords come first. Does not find synonyms; for meaning use semantic_search. Returns for each chunk its id, its header as `source`, which keywords it holds and the sentences with the **keywords** marked, and last how many chunks there are. Read promising chunks in full with chunk_read.

        Args:
            keywords: One to a few exact keywords or short phrases, e.g. ["Q3_2021", "free cash flow"].
            top_k: Number of chunks to return, from 1 to 20.
            offset: Number of chunks to skip, the best first, to see those after them.
            company: Search only chunks with this company, exactly as `source` writes it, e.g. "AAN". With a period: one document only.
            period: Search only chunks with this period, exactly as `source` writes it, e.g. "Q3_2021".
        """
        terms, notice = _bounded_keywords(keywords)
        if not terms:
            raise ToolError("keywords is empty; give at least one word or phrase to look for.")
        opened, allowed = await open_scoped(corpus, doc_ids)
        allowed = narrow(allowed, company, period)
        limit = clamp(top_k, default=default_top_k)
        first = clamp(offset, default=0, low=0, high=MOST_OFFSET)
        page = await opened.keyword_page(terms, limit, first, allowed)
        results = await show_results(opened, "keyword_search", terms, page.hits)
        return join_paragraphs(results, count_line(page, terms, first, allowed), notice)

    return execute


def narrow(allowed: Filter, company: str | None, period: str | None) -> Filter:
    """Return a filter with the company and the period that a model states."""
    names = [encodable((name or "").strip()) for name in (company, period)]
    return Corpus.filter(doc_ids=allowed.doc_ids, company=names[0], period=names[1])


@tool(max_output=0)
def semantic_search(
    *,
    corpus: str,
    top_k: int = 5,
    doc_ids: Sequence[str] | None = None,
    retriever: Retriever = "dense",
    rerank: str | None = None,
) -> Tool:
    """Find chunks by meaning.

    Args:
        corpus: Prepared corpus to search, by name or path.
        top_k: How many chunks to return where the model does not say.
        doc_ids: Documents to search; None for all of the corpus.
        retriever: Ranking of the chunks behind the tool: dense, bm25 or hybrid.
        rerank: Cross-encoder of sentence-transformers, by name or folder, that orders the first 50
            chunks again.
    """
    retrieval = Retrieval(retriever, rerank)
    default_top_k = top_k

    async def execute(
        query: str,
        top_k: int | str | None = default_top_k,
        company: str | None = None,
        period: str | None = None,
    ) -> str:
        """Find chunks with sentences closest in meaning to a query, best match first.

        Use this for topics and questions whose exact wording you do not know ("what is expected for next year", "reasons for the decision"). Name in the query what the document is about, as its header does, or chunks of other documents will come up. For exact names, figures or line items use keyword_search. Returns for each chunk its id, its header as `source` and the nearest sentences. Read promising chunks in full with chunk_read.

        Args:
            query: A phrase or question in natural language, e.g. "AAN Q3_2021 outlook for the full year".
            top_k: Number of chunks to return, from 1 to 20.
            company: Search only chunks with this company, exactly as `source` writes it, e.g. "AAN". With a period: one document only.
            period: Search only chunks with this period, exactly as `source` writes it, e.g. "Q3_2021".
        """
        query, notice = cut(encodable(query.strip()), QUERY)
        if not query:
            raise ToolError("query is empty; say what to look for.")
        opened, allowed = await open_scoped(corpus, doc_ids)
        allowed = narrow(allowed, company, period)
        limit = clamp(top_k, default=default_top_k)
        hits = await retrieval.search(opened, query, limit, allowed)
        results = await show_results(opened, "semantic_search", query, hits)
        return join_paragraphs(results or no_chunk(allowed), notice)

    return execute


def _bounded_keywords(keywords: list[str] | str) -> tuple[list[str], str]:
    """Return the keywords to look for, and a notice of what was cut."""
    several = [keywords] if isinstance(keywords, str) else keywords
    accepted, notice = cut(several, KEYWORDS)
    terms = [" ".join(keyword[: KEYWORD.maximum].split()) for keyword in accepted]
    if any(len(keyword) > KEYWORD.maximum for keyword in accepted):
        too_long = f"Only the first {KEYWORD.maximum:,} {KEYWORD.noun} are used."
        notice = f"{notice} {too_long}".strip()
    return [encodable(term) for term in terms if term], notice


@tool(max_output=0)
def chunk_read(*, corpus: str, doc_ids: Sequence[str] | None = None) -> Tool:
    """Read chunks in full, each once per sample.

    Args:
        corpus: Prepared corpus to read from, by name or path.
        doc_ids: Documents to read from; None for the whole corpus.
    """

    async def execute(chunk_ids: Ids) -> str:
        """Read the full text of chunks that a search has found.

        Use this before you rely on a chunk: snippets leave out context, dates and qualifications. Read several at once if several look relevant. A chunk that you have already read is not shown again; look above. Neighbouring ids are usually neighbouring passages of the same document, and `part="2/4"` says that a chunk is the second of four of its document.

        Args:
            chunk_ids: Ids from search results, at most 20, e.g. [12, 13].
        """
        opened, allowed = await open_scoped(corpus, doc_ids)
        return await show_unread(chunk_ids, opened, allowed)

    return execute


async def show_unread(ids: Ids, corpus: Corpus, allowed: Filter) -> str:
    """Record chunks as read, and show those that were not read before.

    Raises:
        ToolError: None of them can be read.
    """
    chunks, note = await read_requested(ids, corpus, allowed)
    trace = current_trace()
    loop = current_loop()
    unread = trace.unread([chunk.chunk_id for chunk in chunks])
    unread_chunks = [chunk for chunk in chunks if chunk.chunk_id in unread]
    parts = await corpus.parts(unread_chunks)
    trace.add(passage(chunk, loop, parts[chunk.chunk_id]) for chunk in unread_chunks)
    texts = [show_passage(chunk, parts[chunk.chunk_id]) for chunk in unread_chunks]
    repeats = [str(chunk.chunk_id) for chunk in chunks if chunk not in unread_chunks]
    if repeats:
        texts.append(f"Already read, see above: {', '.join(repeats)}.")
    return join_paragraphs(*texts, note)


def passage(
    chunk: Chunk, loop: int, part: str = "", how: Literal["read", "summarized"] = "read"
) -> Passage:
    """Return a chunk in the trace's form; see `Corpus.parts` for its place in its document."""
    return Passage(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        prefix=chunk.prefix,
        text=chunk.text,
        loop=loop,
        how=how,
        part=part,
    )


def show_passage(chunk: Chunk, part: str = "") -> str:
    """Return a chunk as shown to a model, marked as data.

    Args:
        chunk: The chunk.
        part: Its place in its document, see `Corpus.parts`; empty if not known.
    """
    attributes = {"chunk_id": chunk.chunk_id, "source": chunk.prefix, "part": part or None}
    return fence("passage", chunk.text, **attributes)
