"""Split text into sentences."""

import re
from collections.abc import Iterator
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import sentencex

from .folding import LEADERS
from .layout import Paragraph, paragraphs

_END = re.compile(r"[.?!…。！？｡।॥۔؟።။។]")

_FULL_STOP = re.compile(r"(?<=[。！？｡])(?![。！？｡」』”’）])")
"""End of a sentence of Chinese or Japanese, split first: sentencex is quadratic without spaces."""

_NEVER_LAST = re.compile(
    r"(?:\b(?:approx|est|incl|excl|avg|adj|vs|cf|e\.g|i\.e|No|Nos|Item|Fig|Inc|Corp|Cos?"
    "|Ltd|Dept|Mt|Ft|Mr|Mrs|Ms|Dr|Jr|Sr|St|Mio|Mrd|Tsd|Std|bzw|vgl|inkl|exkl|zzgl|abzgl|rd|sog"
    r"|Nr|Abs|Ziff|z\.\s?B|d\.\s?h|u\.\s?a|p\.\s?ex|Mme|Mlle)|(?<![\w.])[A-Z]|\bU\.[SK])\.\s*$"
)
"""End of a part that the splitter wrongly takes for the end of a sentence."""

_BEFORE_NUMBER = re.compile(r"\b(?:Art|art|S|p|pp|n|no|al|ca|env|Kap|chap|Tz|Rn|Rz|Bd|Anm)\.\s*$")
"""End of a part that continues with a number."""

_DAY = re.compile(r"(?<![\d.,])\d{1,2}\.\s*$")
_MONTH = re.compile(r"(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Quartal|Halbjahr)")
_ORDINAL = re.compile(
    r"\b(?:[Aa]m|[Ii]m|[Zz]um|[Vv]om|[Bb]eim|[Dd](?:er|ie|as|en|em|es)|bis|seit)\s\d{1,3}\.\s*$"
)
"""An ordinal of German: `am 3. November`, `das 2. Halbjahr`, `die 25. Sitzung`."""

_MAY_CONTINUE = re.compile(r"\b(?:a\.m|p\.m|U\.[SK](?:\.A)?|Inc|Corp|Cos?|Ltd|Jr|Sr)\.\s*$")
"""End of a part that continues unless the next part looks like a new sentence."""

_STARTS_ANEW = re.compile(r"[\"'“(\[]?(?:[A-Z]\w*)")
_OPENER = re.compile(
    r"(?:We|It|The|Our|This|That|These|Those|They|There|In|I|And|But|So|For|As|Now|Also|If|With"
    r"|Wir|Es|Der|Die|Das|Im|Am|Dies\w*|Sie|Le|La|Les|Il|Elle|Ils|Nous|Ce|Cette)\b"
)
"""A word that rarely follows an abbreviation with a capital."""

_TIME_ZONE = re.compile(
    r"(?:Eastern|Central|Mountain|Pacific|Greenwich|[ECMP][SD]?T|GMT|UTC|CET)\b"
)
_MARKER = re.compile(
    r"\s*(?:[^\w\s\"'“”‘’()\[\]$€£¥%&+.,;:?!/\\]{1,2}|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})\)"
    r"|\d{1,2}\.|o(?=\s+[A-Z]))\s+(?=\S)"
)
"""Start of a list item; the splitter takes the whole line for one sentence."""

_HIDDEN_END = re.compile(r"[.?!](?:(?<=[a-z%)].)(?=[A-Z][a-z])|[\"”]\s(?=[$€£\d]))")
"""Ends of sentences that the splitter misses: before a capital, or after a quotation."""


_TAIL = 80
"""Number of characters at the end of a part that decide whether it continues."""


class Span(NamedTuple):
    """Start and end of a part of a text, as in a slice."""

    start: int
    end: int


def split_sentences(text: str) -> list[Span]:
    """Split text into sentences.

    Decimals (`$4.2 billion`), abbreviations (`Inc.`, `vs.`, `Abs.`), ordinals (`3. November`),
    initials (`J. P. Smith`) and `U.S.` stay whole. A line break ends a sentence, unless it is
    one of a wrapped or justified paragraph, see `unwrap`. Splits with sentencex (Wikimedia) and
    then joins the abbreviations of finance that the splitter does not know.

    Args:
        text: Plain text.

    Returns:
        Spans in order, without white space around them, and only spans with a letter or digit. All
        other text is in exactly one span.
    """
    return [
        Span(paragraph.offset(start), paragraph.offset(end - 1) + 1)
        for paragraph, (start, end) in _spans_in_paragraphs(text)
    ]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text with single spaces and without line breaks.

    See `split_sentences`.
    """
    return [paragraph.text[start:end] for paragraph, (start, end) in _spans_in_paragraphs(text)]


def _spans_in_paragraphs(text: str) -> Iterator[tuple[Paragraph, Span]]:
    """Yield the sentences of a text, as spans of their paragraphs."""
    for paragraph in paragraphs(text):
        for span in _spans(paragraph.text):
            yield paragraph, span


def _spans(paragraph: str) -> Iterator[Span]:
    start = 0
    for piece in _split_line(paragraph):
        stripped = piece.strip()
        if any(map(str.isalnum, stripped)):
            left = start + len(piece) - len(piece.lstrip())
            yield Span(left, left + len(stripped))
        start += len(piece)


def _split_line(line: str) -> list[str]:
    start = _end_of_markers(line)
    masked_line = line
    if "...." in line or " . . ." in line:
        masked_line = LEADERS.sub(lambda dots: "_" * len(dots[0]), line)
    masked_line = masked_line[start:]
    runs = [masked_line] if masked_line.isascii() else _FULL_STOP.split(masked_line)
    parts = []
    end = start
    for piece in chain.from_iterable(map(_split_prose, runs)):
        parts.append(line[end : end + len(piece)])
        end += len(piece)
    parts[0] = line[:start] + parts[0]
    return parts


def _end_of_markers(line: str) -> int:
    """Return where the markers of lists at the start of a line end; some text always follows."""
    start = 0
    while marker := _MARKER.match(line, start):
        if len(line) - marker.end() < 3:
            break
        start = marker.end()
    return start


def _split_prose(line: str) -> list[str]:
    if len(line) < 3 or not _END.search(line):
        return [line]
    joined: list[str] = []
    for piece in sentencex.segment("en", line):
        if joined and _belongs_together(joined[-1][-_TAIL:], piece):
            joined[-1] += piece
        else:
            joined.append(piece)
    if "".join(joined) != line:  # the splitter must not lose a character
        return [line]
    hidden = (end.end() for end in _HIDDEN_END.finditer(line))
    ends = sorted({*accumulate(map(len, joined)), *hidden})
    return [line[start:end] for start, end in pairwise([0, *ends])]


def _belongs_together(left: str, right: str) -> bool:
    if not right.strip() or (left[-1] == "．" and right[0].isdigit()):
        return True
    if _MAY_CONTINUE.search(left):
        return bool(_TIME_ZONE.match(right)) or not _STARTS_ANEW.match(right)
    if _BEFORE_NUMBER.search(left) and right[0].isdigit():
        return True
    if _ORDINAL.search(left) or (_DAY.search(left) and _MONTH.match(right)):
        return True
    return bool(_NEVER_LAST.search(left)) and not _OPENER.match(right)
