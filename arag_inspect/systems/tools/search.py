"""Tools of the A-RAG paper that search a prepared corpus and read its chunks."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from inspect_ai.tool import Tool, ToolError, tool

from arag_inspect._util.bounds import CHUNK_IDS, KEYWORD, KEYWORDS, QUERY, cut, shorten
from arag_inspect._util.encodable import encodable
from arag_inspect.corpus import Chunk, Corpus, Filter, Hit
from arag_inspect.prompts import fence
from arag_inspect.systems.tools.retrieval import Retriever, check_retriever, retrieve
from arag_inspect.types.trace import Passage, Search, current_loop, current_trace

MAX_RESULTS = 20
"""Most chunks that a tool shows at once."""

Ids = list[int | str] | int | str
"""Chunk ids as models write them: numbers or texts, several or one."""

_NUMBER = re.compile(r"(-?\d{1,18})(?:\.0+\b)?")


class ScopedCorpus(NamedTuple):
    """A corpus and the chunks that a tool may show."""

    corpus: Corpus
    allowed: Filter | None
    """None for all."""


def lazy_corpus(
    corpus: str, doc_ids: Sequence[str] | None = None
) -> Callable[[], Awaitable[ScopedCorpus]]:
    """Return a function that opens the corpus once, in a worker thread.

    Args:
        corpus: Name or path.
        doc_ids: Documents to search; None for all.
    """
    cache: list[ScopedCorpus] = []

    async def open_once() -> ScopedCorpus:
        if not cache:
            opened = await Corpus.open_async(corpus)
            cache.append(ScopedCorpus(opened, opened.filter(doc_ids=doc_ids)))
        return cache[0]

    return open_once


class Requested(NamedTuple):
    """Chunks that a model asks for, and what is said about the rest."""

    chunks: list[Chunk]
    note: str
    """Which ids were left out and why; empty if none."""


async def requested(ids: Ids, corpus: Corpus, allowed: Filter | None = None) -> Requested:
    """Read the chunks of the ids that a model gives: of `12`, `"12"` and `"[12, 13]"` alike.

    Args:
        ids: As the model wrote them; after `MAX_RESULTS` chunks the rest is left out.
        corpus: Corpus of the chunks.
        allowed: Chunks that may be shown; None for all.

    Raises:
        ToolError: No chunk is left.
    """
    several = ids if isinstance(ids, list) else [ids]
    one_more = CHUNK_IDS.most + 1
    first_numbers = list(islice(_numbers(several[:one_more]), one_more))
    taken, notice = cut(first_numbers, CHUNK_IDS)
    numbers = dict.fromkeys(taken)
    valid = [number for number in numbers if 0 <= number < len(corpus)]
    first, rest = valid[:MAX_RESULTS], valid[MAX_RESULTS:]
    chunks = await corpus.chunks(first) if first else []
    readable = [chunk for chunk in chunks if allowed is None or allowed.allows(chunk)]
    others = [chunk.chunk_id for chunk in chunks if chunk not in readable]
    unknown = [number for number in numbers if number not in valid]
    left_out = {
        f"no chunk has id {_listed(unknown)}; ids go from 0 to {len(corpus) - 1}": unknown,
        f"chunk {_listed(others)} is of another document": others,
        f"at most {MAX_RESULTS} are read at once; ask again for {_listed(rest)}": rest,
    }
    notes = [note for note, some in left_out.items() if some]
    if notice:
        notes.append(notice.lower().rstrip("."))
    if not readable:
        reasons = "; ".join(notes) or "chunk_ids has no id"
        raise ToolError(f"{reasons}; take ids from search results.")
    return Requested(readable, f"Left out: {'; '.join(notes)}." if notes else "")


def within(number: int | str, default: int, low: int = 1, high: int = MAX_RESULTS) -> int:
    """Return a number within bounds, the nearest to the model's."""
    return max(low, min(next(_numbers([number]), default), high))


def _numbers(values: Iterable[int | str]) -> Iterator[int]:
    return (int(match[1]) for value in values for match in _NUMBER.finditer(str(value)))


def _listed(ids: Sequence[int]) -> str:
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
    open_corpus = lazy_corpus(corpus, doc_ids)

    async def execute(keywords: list[str] | str, top_k: int | str = default_top_k) -> str:
        """Find chunks that contain exact keywords (case-insensitive substrings), best match first.

        Use this for what is written literally: names and dates as they stand in prefixes, line items ("free cash flow"), defined terms, figures. A chunk scores the sum over keywords of occurrences times keyword length, so long, specific keywords count most. Does not find synonyms: for meaning use semantic_search. Returns the chunk id, the prefix and the sentences that hold the **keywords**, marked so; read promising chunks in full with chunk_read.

        Args:
            keywords: One to a few exact keywords or short phrases, e.g. ["Q3_2021", "free cash flow"].
            top_k: Number of chunks to return, from 1 to 20.
        """
        terms, notice = _bounded_keywords(keywords)
        if not terms:
            raise ToolError("keywords is empty; give at least one word or phrase to look for.")
        opened, allowed = await open_corpus()
        hits = await opened.keyword_search(terms, within(top_k, default_top_k), allowed)
        results = _report(opened, "keyword_search", terms, hits) or (
            f"No chunk contains any of {shorten(str(terms))}. Try shorter or other keywords, or "
            "semantic_search."
        )
        return with_notice(results, notice)

    return execute


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
    check_retriever(retriever, rerank)
    default_top_k = top_k
    open_corpus = lazy_corpus(corpus, doc_ids)

    async def execute(query: str, top_k: int | str = default_top_k) -> str:
        """Find chunks with sentences closest in meaning to a query, best match first.

        Use this for topics and questions whose exact wording you do not know ("what is expected for next year", "reasons for the decision"). Name in the query what the document is about, as its prefix does, or chunks of other documents will come up. For exact names, figures or line items use keyword_search. Returns the chunk id, the prefix and the nearest sentences; read promising chunks in full with chunk_read.

        Args:
            query: A phrase or question in natural language, e.g. "AAN Q3_2021 outlook for the full year".
            top_k: Number of chunks to return, from 1 to 20.
        """
        query, notice = cut(encodable(query.strip()), QUERY)
        if not query:
            raise ToolError("query is empty; say what to look for.")
        opened, allowed = await open_corpus()
        most = within(top_k, default_top_k)
        hits = await retrieve(opened, query, most, allowed, retriever, rerank)
        return with_notice(_report(opened, "semantic_search", query, hits), notice)

    return execute


def _bounded_keywords(keywords: list[str] | str) -> tuple[list[str], str]:
    """Return the keywords to look for, and a notice of what was cut."""
    several = [keywords] if isinstance(keywords, str) else keywords
    taken, notice = cut(several, KEYWORDS)
    terms = [" ".join(keyword[: KEYWORD.most].split()) for keyword in taken]
    if any(len(keyword) > KEYWORD.most for keyword in taken):
        too_long = f"Only the first {KEYWORD.most:,} {KEYWORD.noun} are used."
        notice = f"{notice} {too_long}".strip()
    return [encodable(term) for term in terms if term], notice


def with_notice(text: str, notice: str) -> str:
    """Return a result with a notice behind it, if there is one."""
    return f"{text}\n\n{notice}" if notice else text


def _report(corpus: Corpus, tool: str, query: str | list[str], hits: Sequence[Hit]) -> str:
    """Record a search in the trace and show its results."""
    trace = current_trace()
    trace.searches.append(
        Search(
            tool=tool,
            query=query,
            chunk_ids=[hit.chunk_id for hit in hits],
            scores=[round(hit.score, 4) for hit in hits],
            loop=current_loop(),
        )
    )
    read = {passage.chunk_id for passage in trace.passages}
    keywords = query if isinstance(query, list) else []
    return "\n\n".join(_show(corpus, hit, keywords, hit.chunk_id in read) for hit in hits)


def _show(corpus: Corpus, hit: Hit, keywords: Sequence[str], read: bool) -> str:
    chunk = corpus.chunk(hit.chunk_id)
    attributes = {
        "chunk_id": hit.chunk_id,
        "source": chunk.prefix,
        "score": f"{hit.score:.4g}",
        **({"already_read": "yes"} if read else {}),
    }
    text = " [...] ".join(corpus.snippets(hit, keywords))
    return fence("snippet", _marked(text, keywords), **attributes)


def _marked(text: str, keywords: Sequence[str]) -> str:
    """Return a text with its keywords between `**`, the longest first."""
    longest = sorted(keywords, key=len, reverse=True)
    pattern = "|".join(r"\s+".join(map(re.escape, keyword.split())) for keyword in longest)
    return re.sub(f"({pattern})", r"**\1**", text, flags=re.IGNORECASE) if keywords else text


@tool(max_output=0)
def chunk_read(*, corpus: str, doc_ids: Sequence[str] | None = None) -> Tool:
    """Read chunks in full, each once per sample.

    Args:
        corpus: Prepared corpus to read from, by name or path.
        doc_ids: Documents to read from; None for the whole corpus.
    """
    open_corpus = lazy_corpus(corpus, doc_ids)

    async def execute(chunk_ids: Ids) -> str:
        """Read the full text of chunks that a search has found.

        Use this before you rely on a chunk: snippets leave out context, dates and qualifications. Read several at once where several look relevant. A chunk that you have read before is not shown again, look above. Neighbouring ids are usually neighbouring passages of the same document.

        Args:
            chunk_ids: Ids from search results, at most 20, e.g. [12, 13].
        """
        opened, allowed = await open_corpus()
        return await show_unread(chunk_ids, opened, allowed)

    return execute


async def show_unread(ids: Ids, corpus: Corpus, allowed: Filter | None) -> str:
    """Record chunks as read, and show those that were not before.

    Raises:
        ToolError: None of them can be read.
    """
    chunks, note = await requested(ids, corpus, allowed)
    trace, loop = current_trace(), current_loop()
    unread = trace.unread([chunk.chunk_id for chunk in chunks])
    new = [chunk for chunk in chunks if chunk.chunk_id in unread]
    trace.add(passage(chunk, loop) for chunk in new)
    texts = [show_passage(chunk) for chunk in new]
    if repeats := [str(chunk.chunk_id) for chunk in chunks if chunk not in new]:
        texts.append(f"Already read, see above: {', '.join(repeats)}.")
    return "\n\n".join([*texts, *[note] * bool(note)])


def passage(chunk: Chunk, loop: int, how: Literal["read", "summarized"] = "read") -> Passage:
    """Return a chunk in the trace's form."""
    return Passage(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        prefix=chunk.prefix,
        text=chunk.text,
        loop=loop,
        how=how,
    )


def show_passage(chunk: Chunk) -> str:
    """Return a chunk as shown to a model, marked as data."""
    return fence("passage", chunk.text, chunk_id=chunk.chunk_id, source=chunk.prefix)
