"""Split documents into chunks of whole sentences that do not cross sections."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..text.sentences import Span, split_sentences
from ..text.tables import Table, find_tables
from .document import Document, Section

_TOKEN = 20
"""Most characters of a token."""

_AT_ONCE = 1_000
"""Sentences whose tokens are counted at once."""

TokenCounter = Callable[[Sequence[str]], list[int]]
"""Counts the tokens of each text, without special tokens."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage that is retrieved, read and cited as a whole."""

    chunk_id: int
    """Position in the corpus, from 0."""

    doc_id: str
    company: str
    period: str
    section: str

    prefix: str
    """Describes the document of the passage: `[COMPANY: AAN | TYPE: EARNINGS_CALL | ...]`."""

    text: str
    """The passage, as in the document."""

    tokens: int
    """Length of `text` in tokens of the embedding model's tokenizer, which takes a word of any
    length for one; at least one for every 20 characters that are not spaces."""

    sentences: tuple[Span, ...]
    """Sentences of `text`."""

    first_page: int | None = None
    """Page on which the chunk begins, from 0; None if the document has no pages."""

    last_page: int | None = None
    """Page on which it ends."""


def chunk_document(
    document: Document, *, first_id: int, chunk_tokens: int, count_tokens: TokenCounter
) -> list[Chunk]:
    """Split a document into chunks.

    Sentences are packed greedily: a chunk takes the next sentence as long as it
    stays within `chunk_tokens`. A single sentence longer than that is cut
    between words. No chunk crosses a section, and a section that is `whole` is
    one chunk. A table (`Section.together`) that would be cut begins a new
    chunk, if it fits into one. A chunk that continues a table has the heads of its columns
    and their unit in its prefix.

    Args:
        document: Document to split.
        first_id: Id of the first chunk.
        chunk_tokens: Longest chunk, in tokens.
        count_tokens: Counts tokens as the embedding model does.

    Returns:
        Chunks in reading order, with consecutive ids. Empty for a document without text.
    """
    chunks: list[Chunk] = []
    for section in document.sections:
        tables = find_tables(section.text)
        for start, end, tokens, spans in _pack(section, chunk_tokens, count_tokens):
            chunks.append(
                Chunk(
                    chunk_id=first_id + len(chunks),
                    doc_id=document.doc_id,
                    company=document.company,
                    period=document.period,
                    section=section.title,
                    prefix=_prefix(section, start, tables),
                    text=section.text[start:end],
                    tokens=tokens,
                    sentences=tuple(Span(a - start, b - start) for a, b in spans),
                    first_page=section.page_at(start),
                    last_page=section.page_at(end - 1),
                )
            )
    return chunks


def _prefix(section: Section, start: int, tables: Sequence[Table]) -> str:
    """Return the prefix of a chunk, with the head of a table that began in an earlier chunk."""
    index = bisect_right(tables, start, key=lambda table: table.start) - 1
    head = tables[index].head_at(start) if index >= 0 and not section.whole else ""
    if not head:
        return section.prefix
    label = f"TABLE: {head.replace('[', '(').replace(']', ')').replace(' | ', ', ')}]"
    return f"{section.prefix[:-1]} | {label}" if section.prefix.endswith("]") else f"[{label}"


def _pack(
    section: Section, chunk_tokens: int, count_tokens: TokenCounter
) -> Iterator[tuple[int, int, int, list[Span]]]:
    """Yield (start, end, tokens, sentence spans) of each chunk."""
    sentences = list(_fitting_sentences(section.text, chunk_tokens, count_tokens))
    table_tokens = _table_tokens(section, sentences)
    run: list[Span] = []
    total = 0
    if section.whole:
        if sentences:
            total = sum(count for _, count in sentences)
            yield 0, len(section.text), total, [span for span, _ in sentences]
        return
    for span, count in sentences:
        next_tokens = table_tokens.get(span.start, count)
        if run and total + (next_tokens if next_tokens <= chunk_tokens else count) > chunk_tokens:
            yield run[0].start, run[-1].end, total, run
            run, total = [], 0
        run.append(span)
        total += count
    if run:
        yield run[0].start, run[-1].end, total, run


def _table_tokens(section: Section, sentences: list[tuple[Span, int]]) -> dict[int, int]:
    """Return the tokens of each table, by the start of its first sentence."""
    tokens_by_start: dict[int, int] = {}
    starts = [span.start for span, _ in sentences]
    for start, end in section.together:
        table = slice(bisect_left(starts, start), bisect_left(starts, end))
        if starts[table]:
            tokens_by_start[starts[table][0]] = sum(count for _, count in sentences[table])
    return tokens_by_start


def _fitting_sentences(
    text: str, chunk_tokens: int, count_tokens: TokenCounter
) -> Iterator[tuple[Span, int]]:
    """Yield sentences with their token counts, split those too long for a chunk."""
    max_characters = chunk_tokens * _TOKEN  # so that no tokenizer gets more at once
    spans: list[Span] = []
    for span in split_sentences(text):
        parts = -(-(span.end - span.start) // max_characters)
        spans += [span] if parts <= 1 else _cut(text, span, parts)
    yield from _split_to_fit(text, spans, chunk_tokens, count_tokens)


def _split_to_fit(
    text: str, spans: list[Span], chunk_tokens: int, count_tokens: TokenCounter
) -> Iterator[tuple[Span, int]]:
    """Yield spans with their token counts, split until each fits a chunk."""
    for start in range(0, len(spans), _AT_ONCE):
        batch = spans[start : start + _AT_ONCE]
        texts = [text[a:b] for a, b in batch]
        for span, piece, count in zip(batch, texts, count_tokens(texts), strict=True):
            count = max(count, (len(piece) - piece.count(" ")) // _TOKEN)
            if count <= chunk_tokens:
                yield span, count
                continue
            pieces = list(_cut(text, span, -(-count // chunk_tokens)))
            if len(pieces) == 1:
                yield span, count
            else:
                yield from _split_to_fit(text, pieces, chunk_tokens, count_tokens)


def _cut(text: str, span: Span, parts: int) -> Iterator[Span]:
    """Split a span into about `parts` equal pieces, between words if possible."""
    start = span.start
    step = max(1, (span.end - span.start) // max(2, parts))
    while start < span.end:
        end = min(span.end, start + step)
        if end < span.end:
            gap = text.rfind(" ", start + 1, end + 1)
            end = gap if gap > start else end
        piece = text[start:end]
        if piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            yield Span(left, left + len(piece.strip()))
        start = end
