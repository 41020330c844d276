"""Show the results of a search to a model."""

import re
from collections.abc import Sequence
from itertools import islice

from arag_inspect._util.bounds import shorten
from arag_inspect.corpus import Chunk, Corpus, Filter, Hit, KeywordPage
from arag_inspect.prompts import empty_tag, fence
from arag_inspect.text.content_words import content_words
from arag_inspect.text.folding import distinct_keywords, fold, fold_keyword
from arag_inspect.types.trace import Search, current_loop, current_trace

_SNIPPETS = 5
"""Maximum sentences shown of a chunk that was found."""


def join_paragraphs(*texts: str) -> str:
    """Join the texts of a result that are not empty."""
    return "\n\n".join(filter(None, texts))


def search_of_hits(tool: str, query: str | list[str], hits: Sequence[Hit], loop: int) -> Search:
    """Return a search in the trace's form."""
    return Search(
        tool=tool,
        query=query,
        chunk_ids=[hit.chunk_id for hit in hits],
        scores=[round(hit.score, 4) for hit in hits],
        loop=loop,
    )


async def show_results(
    corpus: Corpus, tool: str, query: str | list[str], hits: Sequence[Hit]
) -> str:
    """Record a search in the trace, and show the chunks that it found.

    Args:
        corpus: The corpus that was searched.
        tool: Name of the tool.
        query: The query; keywords as a list.
        hits: Chunks found, best first.
    """
    trace = current_trace()
    trace.searches.append(search_of_hits(tool, query, hits, current_loop()))
    ids_read = {passage.chunk_id for passage in trace.passages}
    keywords = query if isinstance(query, list) else []
    chunks = await corpus.chunks([hit.chunk_id for hit in hits])
    parts = await corpus.parts(chunks)
    snippets = []
    for hit, chunk in zip(hits, chunks, strict=True):
        part = parts[chunk.chunk_id]
        is_read = hit.chunk_id in ids_read
        snippets.append(_show(hit, chunk, keywords, part=part, is_read=is_read))
    return join_paragraphs(*snippets)


def _show(hit: Hit, chunk: Chunk, keywords: Sequence[str], *, part: str, is_read: bool) -> str:
    attributes = {
        "chunk_id": hit.chunk_id,
        "source": chunk.prefix,
        "part": part,
        "score": f"{hit.score:.4g}",
        **_match_attributes(chunk, keywords),
    }
    if is_read:
        return empty_tag("snippet", **attributes, already_read="yes")
    text = " [...] ".join(snippets_of(hit, chunk, keywords))
    return fence("snippet", _mark_keywords(text, keywords), **attributes)


def snippets_of(hit: Hit, chunk: Chunk, keywords: Sequence[str] = ()) -> list[str]:
    """Return the sentences that show why a chunk was found.

    Args:
        hit: Result of a search.
        chunk: The chunk.
        keywords: Keywords of the search; sentences that contain one of them are returned.

    Returns:
        At most five sentences, in reading order. If only the prefix contains keywords, the most
            informative sentence: with the most figures, then the most words.
    """
    if hit.sentences:
        spans = [chunk.sentences[position] for position in sorted(hit.sentences)]
        return [chunk.text[start:end] for start, end in spans[:_SNIPPETS]]
    words = list(filter(None, map(fold_keyword, keywords)))
    sentences = [chunk.text[start:end] for start, end in chunk.sentences]

    def holds(text: str) -> bool:
        folded = fold(text)
        return any(word in folded for word in words)

    matches = islice(filter(holds, sentences), _SNIPPETS) if words else ()
    return list(matches) or sorted(sentences, key=_informativeness, reverse=True)[:1]


def _informativeness(sentence: str) -> tuple[int, int]:
    """Return the numbers of figures and of content words in a sentence."""
    figures = sum(any(map(str.isdigit, word)) for word in sentence.split())
    return figures, len(content_words(sentence.lower()))


def _match_attributes(chunk: Chunk, keywords: Sequence[str]) -> dict[str, str]:
    """Return the keywords that a chunk contains, and whether only its header contains them."""
    if not keywords:
        return {}
    searched_text = fold(f"{chunk.prefix} {chunk.text}")
    text = fold(chunk.text)
    matches = [keyword for keyword in keywords if fold_keyword(keyword) in searched_text]
    attributes = {"holds": shorten(", ".join(dict.fromkeys(matches)))}
    if not any(fold_keyword(keyword) in text for keyword in matches):
        attributes["match"] = "only in the header"
    return attributes


def _mark_keywords(text: str, keywords: Sequence[str]) -> str:
    """Return a text with its keywords between `**`, the longest first."""
    sorted_keywords = sorted(keywords, key=len, reverse=True)
    pattern = "|".join(r"\s+".join(map(re.escape, keyword.split())) for keyword in sorted_keywords)
    return re.sub(f"({pattern})", r"**\1**", text, flags=re.IGNORECASE) if keywords else text


def count_line(page: KeywordPage, keywords: Sequence[str], offset: int, allowed: Filter) -> str:
    """Return a keyword search's last line: the number of matching chunks and the range shown."""
    if not page.hold_any:
        condition = _place(allowed)
        advice = "Leave out company and period" if condition else "Try shorter or other keywords"
        return f"No chunk{condition} contains any of {shorten(str(keywords))}. {advice}, or semantic_search."
    bound_prefix = "" if page.complete else "at least "
    line = f"Chunks{_place(allowed)} that hold a keyword: {bound_prefix}{page.hold_any:,}"
    if len(distinct_keywords(keywords)) > 1:
        line += f", all keywords: {bound_prefix}{page.hold_all:,}"
    if not page.hits:
        return f"{line}. None is left after the first {offset:,}."
    end = offset + len(page.hits)
    line += f". Shown: {offset + 1:,} to {end:,}"
    is_last = end >= page.hold_any and page.complete
    return f"{line}." if is_last else f"{line}; for the next, set offset to {end}."


def no_chunk(allowed: Filter) -> str:
    """Return the message for a search that found nothing."""
    return f"No chunk{_place(allowed)} was found."


def _place(allowed: Filter) -> str:
    """Return the company and the period of a filter, as a part of a sentence."""
    conditions = {"company": allowed.company, "period": allowed.period}
    names = [f"{field} {value!r}" for field, value in conditions.items() if value]
    return f" of {shorten(' and '.join(names))}" if names else ""
