"""Split English text into sentences."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import sentencex

_NEVER_LAST = re.compile(
    r"(?:\b(?:approx|est|incl|excl|avg|adj|vs|cf|e\.g|i\.e|No|Nos|Item|Fig|Inc|Corp|Cos?|Ltd|Dept|Mt|Ft"
    r"|Mr|Mrs|Ms|Dr|Jr|Sr|St)|(?<![\w.])[A-Z]|\bU\.[SK])\.\s*$"
)
"""End of a part that the splitter wrongly takes for the end of a sentence."""

_MAY_CONTINUE = re.compile(r"\b(?:a\.m|p\.m|U\.[SK](?:\.A)?|Inc|Corp|Cos?|Ltd|Jr|Sr)\.\s*$")
"""End of a part that continues unless the next part looks like a new sentence."""

_STARTS_ANEW = re.compile(r"[\"'“(\[]?(?:[A-Z]\w*)")
_OPENER = re.compile(
    r"(?:We|It|The|Our|This|That|These|Those|They|There|In|I|And|But|So|For|As|Now|Also|If|With)\b"
)
"""A word that rarely follows an abbreviation with a capital."""

_TIME_ZONE = re.compile(
    r"(?:Eastern|Central|Mountain|Pacific|Greenwich|[ECMP][SD]?T|GMT|UTC|CET)\b"
)
_MARKER = re.compile(
    r"\s*(?:[^\w\s\"'“”‘’()\[\]$€£¥%&+.,;:?!/\\]{1,2}|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})\)|\d{1,2}\.|o(?=\s+[A-Z]))\s+(?=\S)"
)
"""Start of a list item; the splitter takes the whole line for one sentence."""

_HIDDEN_END = re.compile(r"(?<=[a-z%)][.?!])(?=[A-Z][a-z])")


class Span(NamedTuple):
    """Start and end of a part of a text, as in a slice."""

    start: int
    end: int


def split_sentences(text: str) -> list[Span]:
    """Split text into sentences.

    Decimals (`$4.2 billion`), abbreviations (`Inc.`, `vs.`), initials (`J. P.
    Smith`) and `U.S.` stay whole; a line break always ends a sentence. Splits
    with sentencex (Wikimedia) and then joins the abbreviations of finance that the
    splitter does not know.

    Args:
        text: Plain text.

    Returns:
        Spans in order, without the white space around them and without empty
        ones. All other text is in exactly one span.
    """
    return list(_spans(text))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; see `split_sentences`."""
    return [text[start:end] for start, end in _spans(text)]


def _spans(text: str) -> Iterator[Span]:
    start = 0
    for line in text.splitlines(keepends=True):
        for piece in _split_line(line):
            bare = piece.strip()
            if bare:
                left = start + len(piece) - len(piece.lstrip())
                yield Span(left, left + len(bare))
            start += len(piece)


def _split_line(line: str) -> list[str]:
    start = 0
    while (marker := _MARKER.match(line, start)) and len(line) - marker.end() >= 3:
        start = marker.end()
    first, *more = _split_prose(line[start:])
    return [line[:start] + first, *more]


def _split_prose(line: str) -> list[str]:
    if len(line) < 3 or not any(mark in line for mark in ".?!…"):
        return [line]
    joined: list[str] = []
    for piece in sentencex.segment("en", line):
        if joined and _belongs_together(joined[-1], piece):
            joined[-1] += piece
        else:
            joined.append(piece)
    if "".join(joined) != line:  # the splitter must not lose a character
        return [line]
    return [part for piece in joined for part in _HIDDEN_END.split(piece)]


def _belongs_together(left: str, right: str) -> bool:
    if not right.strip():
        return True
    if _MAY_CONTINUE.search(left):
        return bool(_TIME_ZONE.match(right)) or not _STARTS_ANEW.match(right)
    return bool(_NEVER_LAST.search(left)) and not _OPENER.match(right)
