"""Split documents, named sections of plain text, into chunks of whole sentences."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..text.sentences import Span, split_sentences
from ..text.tables import TextTable, find_tables
from .chunks import Chunk

_TOKEN = 20
"""Maximum characters per token."""

_AT_ONCE = 1_000
"""Sentences whose tokens are counted in one call."""

_LEAST = 32
"""Minimum tokens of a part of a sentence, however long the prefix is."""

_BREAKS = (
    re.compile(r"[;:.!?]\s+|[。！？；]|\s[-–—]+\s"),
    re.compile(r",\s+|[、，|;}\]>]"),
    re.compile(r"\s+"),
)
"""Where a long sentence is cut, best first."""

TokenCounter = Callable[[Sequence[str]], list[int]]
"""Counts the tokens of each text, without special tokens."""


class PageStart(NamedTuple):
    """Start of a page in a section's text."""

    offset: int
    """Offset in the text, in characters."""

    page: int
    """Page of the document, from 0."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document that no chunk crosses."""

    title: str
    """Name of the part, e.g. `Prepared Remarks` or `Risk Factors`; empty if a document has no
    parts.
    """

    text: str
    """Plain text. A line break ends a sentence, except in wrapped paragraphs, see `unwrap`."""

    prefix: str
    """Prefix of each chunk, e.g. `[COMPANY: AAN | TYPE: EARNINGS_CALL | PERIOD: Q3_2021]`."""

    whole: bool = False
    """Whether the section is one chunk, however long, because its source is already chunked."""

    pages: tuple[PageStart, ...] = ()
    """Pages of the text in order, the first at offset 0; empty if a document has none."""

    period: str = ""
    """Period of the part if it differs from the document's, as for an earlier call."""

    def page_at(self, offset: int) -> int | None:
        """Return the page of an offset; None if there are no pages."""
        if not self.pages:
            return None
        index = bisect_right(self.pages, offset, key=lambda start: start.offset)
        return self.pages[max(0, index - 1)].page


@dataclass(frozen=True, slots=True)
class Document:
    """A source document: an earnings call, a filing."""

    doc_id: str
    """Unique within the corpus."""

    company: str
    """Ticker or name, as in the prefix."""

    period: str
    """Reporting period, as in the prefix, e.g. `Q3_2021`."""

    sections: tuple[Section, ...]
    """Parts in reading order."""


class ChunkedDocument(NamedTuple):
    """The chunks of a document."""

    chunks: list[Chunk]
    """In reading order, with consecutive ids; empty for a document without text."""

    sentences_cut: int
    """Sentences that are longer than a chunk or the embedding model's window."""


class _Part(NamedTuple):
    """A sentence or a part of one."""

    span: Span
    sentence: int
    """Number of the sentence in its text."""


class _Unit(NamedTuple):
    """A part that fits into a chunk and into the embedding model's window."""

    span: Span
    sentence: int
    tokens: int


class _Packed(NamedTuple):
    """Consecutive units that become a chunk, and where its text starts and ends."""

    start: int
    end: int
    units: Sequence[_Unit]

    @property
    def tokens(self) -> int:
        """Sum of the units' tokens."""
        return sum(unit.tokens for unit in self.units)


def chunk_document(
    document: Document,
    *,
    first_id: int,
    chunk_tokens: int,
    count_tokens: TokenCounter,
    window: int | None = None,
) -> list[Chunk]:
    """Split a document into chunks.

    Sentences are packed greedily: a chunk takes the next sentence as long as it stays within
    `chunk_tokens`. A single sentence longer than that, or than the embedding model reads, is cut
    into parts, each between clauses if possible, else at a comma or between words. No chunk crosses
    a section, and a section that is `whole` is one chunk. A table that would be cut begins a new
    chunk, if it fits into one. A chunk that continues a table has its column heads and their
    unit in its prefix.

    Args:
        document: Document to split.
        first_id: Id of the first chunk.
        chunk_tokens: Longest chunk, in tokens.
        count_tokens: Counts tokens as the embedding model does.
        window: Maximum tokens of a prefix and a sentence that the model reads; None for no maximum.

    Returns:
        Chunks in reading order, with consecutive ids; empty for a document without text.
    """
    chunked = split_document(
        document,
        first_id=first_id,
        chunk_tokens=chunk_tokens,
        count_tokens=count_tokens,
        window=window,
    )
    return chunked.chunks


def split_document(
    document: Document,
    *,
    first_id: int,
    chunk_tokens: int,
    count_tokens: TokenCounter,
    window: int | None = None,
) -> ChunkedDocument:
    """Split a document into chunks like `chunk_document`, and count the sentences it cuts."""
    chunks: list[Chunk] = []
    sentences_cut = 0
    for section in document.sections:
        tables = find_tables(section.text)
        max_tokens = chunk_tokens
        if window is not None:
            longest_prefix = max(count_tokens(list(_prefixes(section, tables))))
            max_tokens = min(max_tokens, max(_LEAST, window - 1 - longest_prefix))
        units = list(_fitting_sentences(section.text, max_tokens, count_tokens))
        parts_by_sentence = Counter(unit.sentence for unit in units)
        sentences_cut += sum(number > 1 for number in parts_by_sentence.values())
        for packed in _pack(section, chunk_tokens, units, tables):
            start = packed.start
            spans = [unit.span for unit in packed.units]
            chunks.append(
                Chunk(
                    chunk_id=first_id + len(chunks),
                    doc_id=document.doc_id,
                    company=document.company,
                    period=section.period or document.period,
                    section=section.title,
                    prefix=_prefix(section, start, tables),
                    text=section.text[start : packed.end],
                    tokens=packed.tokens,
                    sentences=tuple(Span(a - start, b - start) for a, b in spans),
                    first_page=section.page_at(start),
                    last_page=section.page_at(packed.end - 1),
                )
            )
    return ChunkedDocument(chunks, sentences_cut)


def _prefix(section: Section, start: int, tables: Sequence[TextTable]) -> str:
    """Return the prefix of a chunk, with the head of a table that began in an earlier chunk."""
    index = bisect_right(tables, start, key=lambda table: table.start) - 1
    head = tables[index].head_at(start) if index >= 0 and not section.whole else ""
    if not head:
        return section.prefix
    label = f"TABLE: {head.replace('[', '(').replace(']', ')')}]"
    return f"{section.prefix[:-1]} | {label}" if section.prefix.endswith("]") else f"[{label}"


def _prefixes(section: Section, tables: Sequence[TextTable]) -> set[str]:
    """Return every prefix that a chunk of a section may have."""
    prefixes = {section.prefix}
    for table in tables:
        prefixes.update(_prefix(section, start, tables) for start, _ in table.heads)
    return prefixes


def _pack(
    section: Section, chunk_tokens: int, units: Sequence[_Unit], tables: Sequence[TextTable]
) -> Iterator[_Packed]:
    """Yield the units of each chunk of a section."""
    if section.whole and units:
        yield _Packed(0, len(section.text), units)
    if section.whole:
        return
    table_tokens = _table_tokens(units, tables)
    run: list[_Unit] = []
    run_tokens = 0
    for unit in units:
        next_tokens = table_tokens.get(unit.span.start, unit.tokens)
        if next_tokens > chunk_tokens:  # a table that no chunk can hold
            next_tokens = unit.tokens
        if run and run_tokens + next_tokens > chunk_tokens:
            yield _Packed(run[0].span.start, run[-1].span.end, run)
            run = []
            run_tokens = 0
        run.append(unit)
        run_tokens += unit.tokens
    if run:
        yield _Packed(run[0].span.start, run[-1].span.end, run)


def _table_tokens(units: Sequence[_Unit], tables: Sequence[TextTable]) -> dict[int, int]:
    """Return the tokens of each table, by the start of its first unit."""
    tokens_by_start: dict[int, int] = {}
    starts = [unit.span.start for unit in units]
    for table in tables:
        rows = slice(bisect_left(starts, table.start), bisect_left(starts, table.end))
        if starts[rows]:
            tokens_by_start[starts[rows][0]] = sum(unit.tokens for unit in units[rows])
    return tokens_by_start


def _fitting_sentences(text: str, max_tokens: int, count_tokens: TokenCounter) -> Iterator[_Unit]:
    """Yield sentences, with long ones split into parts."""
    max_characters = max_tokens * _TOKEN  # bounds the input of each tokenizer call
    parts: list[_Part] = []
    for index, span in enumerate(split_sentences(text)):
        sentence = _Part(span, index)
        number = math.ceil((span.end - span.start) / max_characters)
        parts += _cut(text, sentence, number) if number > 1 else [sentence]
    yield from _split_to_fit(text, parts, max_tokens, count_tokens)


def _split_to_fit(
    text: str, parts: Sequence[_Part], max_tokens: int, count_tokens: TokenCounter
) -> Iterator[_Unit]:
    """Yield parts with their token counts, cut until each fits."""
    for start in range(0, len(parts), _AT_ONCE):
        batch = parts[start : start + _AT_ONCE]
        texts = [text[part.span.start : part.span.end] for part in batch]
        for part, part_text, count in zip(batch, texts, count_tokens(texts), strict=True):
            tokens = max(count, (len(part_text) - part_text.count(" ")) // _TOKEN)
            smaller_parts: list[_Part] = []
            if tokens > max_tokens:
                smaller_parts = _cut(text, part, math.ceil(tokens / max_tokens))
            if len(smaller_parts) > 1:
                yield from _split_to_fit(text, smaller_parts, max_tokens, count_tokens)
            else:
                yield _Unit(part.span, part.sentence, tokens)


def _cut(text: str, part: _Part, number: int) -> list[_Part]:
    """Cut a part into about `number` parts, each at the best break in its second half."""
    span = part.span
    parts: list[_Part] = []
    start = span.start
    step = max(1, (span.end - span.start) // max(2, number))
    while start < span.end:
        end = min(span.end, start + step)
        if end < span.end:
            end = _best_end(text, start, end)
        part_text = text[start:end]
        if any(map(str.isalnum, part_text)):
            first_letter = start + len(part_text) - len(part_text.lstrip())
            last_letter = first_letter + len(part_text.strip())
            parts.append(_Part(Span(first_letter, last_letter), part.sentence))
        start = end
    return parts


def _best_end(text: str, start: int, end: int) -> int:
    """Return the end of the last clause in the second half of a span, else of a part or a word."""
    for pattern in _BREAKS:
        last_break = 0
        for match in pattern.finditer(text, (start + end) // 2, end):
            last_break = match.end()
        if last_break > start:
            return last_break
    return end
