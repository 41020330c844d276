"""The figures that a filing tags in inline XBRL, and where its text states them."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from difflib import SequenceMatcher
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ...text.sentences import split_sentences
from ._xbrl import STYLES
from .text import read_text

_DIGITS = "".join(STYLES)
_PLAIN = str.maketrans(_DIGITS, "0123456789" * len(STYLES))
_MARKED = re.compile("|".join(rf"[{digits}](?:[{digits}.,’'\s]*[{digits}])?" for digits in STYLES))


class TaggedFigure(NamedTuple):
    """A figure with the contents of its tag."""

    tag: str
    """Name in the taxonomy, e.g. `us-gaap:Revenues`."""

    dates: tuple[date, ...]
    """First and last day of its period, or one date; empty if they are unreadable."""

    unit: str
    """Measures, e.g. `USD` or `USD/shares`."""

    has_dimensions: bool
    """Whether it concerns a segment, a class of shares or another part."""

    scale: int
    """Power of ten by which the printed figure is multiplied."""

    printed: Decimal | None
    """The figure as printed, with its sign; None for words, dashes and blanks."""

    offset: int | None
    """Offset in the text; None if it is not found there."""

    @property
    def value(self) -> Decimal | None:
        """The figure in ones."""
        return None if self.printed is None else self.printed.scaleb(self.scale)


class TaggedText(NamedTuple):
    """A filing's text and tagged figures."""

    company: str
    text: str
    figures: Sequence[TaggedFigure]


def read_tagged(path: Path) -> TaggedText:
    """Read a filing with its tagged figures; only inline XBRL has any.

    Raises:
        InputError: See `read_text`.
    """
    marked = read_text(path, with_tags=True)
    parts = list(map(json.loads, marked.tags))
    figures = list(chain.from_iterable(part["figures"] for part in parts))
    offsets = _offsets([figure["text"] for figure in figures], marked.text)
    return TaggedText(
        next((part["company"] for part in parts if part["company"]), ""),
        marked.text.translate(_PLAIN),
        [_figure(fields, offsets.get(number)) for number, fields in enumerate(figures)],
    )


def evidence_at(text: str, offset: int) -> str:
    """Return the row or sentence at an offset of a text; empty if it occurs twice."""
    start = text.rfind("\n", 0, offset) + 1
    end = f"{text}\n".find("\n", offset)
    line = text[start:end]
    spans = [span for span in split_sentences(line) if span.end > offset - start]
    sentence = line[spans[0].start : spans[0].end] if spans else line
    return sentence if text.count(sentence) == 1 else ""


def _offsets(figures: Sequence[str], marked_text: str) -> dict[int, int]:
    """Return the offset in the text of each figure found, by its number."""
    matches = list(_MARKED.finditer(marked_text))
    printed = [_digits(match[0]) for match in matches]
    matcher = SequenceMatcher(None, list(map(_digits, figures)), printed, autojunk=False)
    offsets = {}
    for block in matcher.get_matching_blocks():
        for index in range(block.size):
            offsets[block.a + index] = matches[block.b + index].start()
    return offsets


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign in _DIGITS)


def _figure(fields: Mapping[str, Any], offset: int | None) -> TaggedFigure:
    try:
        dates = tuple(date.fromisoformat(text[:10]) for text in fields["dates"])
    except ValueError:
        dates = ()
    return TaggedFigure(
        tag=fields["name"],
        dates=dates,
        unit="/".join(measure.rpartition(":")[2] for measure in fields["unit"]),
        has_dimensions=fields["has_dimensions"],
        scale=int(fields["scale"]) if re.fullmatch(r"-?\d{1,2}", fields["scale"]) else 0,
        printed=_number(fields["text"].translate(_PLAIN), fields["format"], fields["sign"]),
        offset=offset,
    )


def _number(text: str, style: str, sign: str) -> Decimal | None:
    if "comma" in style:  # the decimal sign
        text = text.translate(str.maketrans(",.", ".,"))
    digits = re.sub(r"[\s,’']", "", text)
    if not re.fullmatch(r"[0-9]{0,30}(?:[0-9]|\.[0-9]{1,30})", digits):
        return None
    return Decimal(f"{sign}{digits}") if sign in ("", "-") else None
