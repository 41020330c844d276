"""Write the tables of plain text, aligned by spaces, with `|` between their cells."""

import re

from ...text.tables import find_tables, is_barred
from ._grid import GridCell
from ._pdf_lines import PageLine, line_of_words
from ._pdf_rules import HeadRule
from ._pdf_tables import write_tables

_LETTER = 2.0
"""Height of a line in widths of a letter; makes two spaces, but not one, a wide gap."""

_GAP = "   "
_WORD = re.compile(r"\S+")
_LEADERS = re.compile(r"\.{3,}|(?:\s\.){3,}")
_RULE = re.compile(r"[\s=_–—-]+")
"""A line that underlines a head or a column of figures."""


def write_bars(text: str) -> str:
    """Return a text with `|` between the cells of each table aligned by spaces.

    Blank lines and rules within a table are omitted. A table stays as it is if its columns are
    unclear; see `write_tables`.
    """
    if _GAP not in text:
        return text
    pieces: list[str] = []
    end = 0
    for table in find_tables(text):
        pieces += [text[end : table.start], _write_table(text[table.start : table.end])]
        end = table.end
    return "".join([*pieces, text[end:]])


def _write_table(text: str) -> str:
    """Return the lines of a table with bars."""
    lines: list[PageLine] = []
    rules: list[HeadRule] = []
    for number, raw in enumerate(text.expandtabs().split("\n")):
        baseline = -number * _LETTER
        if is_barred(raw):
            return text
        if _RULE.fullmatch(raw):
            rules += [HeadRule(baseline, *word.span()) for word in _WORD.finditer(raw)]
        elif raw.strip():
            lines.append(_line(raw, baseline))
    return "\n".join(write_tables(lines, lambda: rules))


def _line(text: str, baseline: float) -> PageLine:
    """Return a line with its words at their columns; without leaders between them."""
    spaced_text = _LEADERS.sub(lambda match: " " * len(match[0]), text)
    words = [GridCell(*word.span(), word[0]) for word in _WORD.finditer(spaced_text)]
    return line_of_words(text.strip(), words, baseline, _LETTER)
