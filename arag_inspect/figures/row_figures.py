"""The label and the figures of a row that is one line of text."""

import re
from collections.abc import Sequence

_NUMBER = re.compile(
    r"\(?(?:[-–+](?!\s))?[$€£¥₹]?\s?\(?[-–]?\d[\d,]*(?:\.\d+)?\)?\s?%?\)?"
    r"(?:(?<!\b(?:19|20)\d\d)-(?=\s|$))?"
    r"|(?<=\s)(?:[—–-]+|[#*]|(?i:n[/.]?[am])\.?)(?=\s|$)"
)
"""A figure of a row, or a mark for a missing one."""

_NO_FIGURE = re.compile(r"\sn[/.]?[am]\.?\s*$", re.IGNORECASE)

_FIGURES = re.compile(rf"(?:\s*+(?>{_NUMBER.pattern}|[$€£%]))++\s*+$")
"""Figures up to the end of a line (possessive, so that a long number is not split)."""

_LAST_SIGNS = {*"),%$€£—–-#*"}
"""What a figure may end with, besides a digit."""

_LONGEST = 2_000
"""Characters of a row; a longer line is not a row of a table."""

_JOINED_PART = re.compile(r"(?<=[\d)%—–-])\s+(?=(?:as a )?% of\b)")
"""Between a row and that of its shares, which a reader of paragraphs took for its end."""

MARK = re.compile(r"\(\d{1,2}\)")
"""A number in parentheses that may mark a footnote."""

_OPEN_LABEL = re.compile(
    r"\b(?:"
    r"of|and|or|to|in|at|by|for|from|than|through|with|due|after|before|until|note|level|rule"
    r"|item)\s\S+$"
    r"|\b(?:fiscal|year|quarter)\s(?:19|20)\d\d$",
    re.IGNORECASE,
)
"""A label that continues with a number."""


def joined(line: str) -> str:
    """Return a row of Markdown or of cells as one line, signs and digits of a cell together."""
    if "|" not in line:
        return line
    line = " ".join(line.replace("|", " ").split())
    return re.sub(r"(?<=\()\s+|(?<=\d)\s+(?=[)%])", "", line)


def split_row(line: str) -> tuple[str, list[str]]:
    """Return the label of a row and its figures; no figures if the line is not a row."""
    end = line.rstrip()[-1:]
    is_figure = end.isdigit() or end in _LAST_SIGNS or _NO_FIGURE.search(line[-8:])
    match = _FIGURES.search(line) if is_figure and len(line) <= _LONGEST else None
    if match is None:
        return line, []
    figures = match[0]
    label = line[: match.end() - len(figures.lstrip())]
    return label, [figure.strip() for figure in _NUMBER.findall(figures)]


def parts_of_row(label: str, figures: list[str]) -> list[tuple[str, list[str]]]:
    """Return a row, and the one of its shares that was joined to it, each with its figures."""
    joined = _JOINED_PART.search(label)
    if joined is None:
        return [(label, figures)]
    whole, whole_figures = split_row(label[: joined.start()])
    return [(whole, whole_figures), (label[joined.start() :].lstrip(), figures)]


def count_in_label(label: str, figures: Sequence[str]) -> int:
    """Count the figures that belong to a label: one in "allowance of $5 and"."""
    if label.count("(") > label.count(")"):
        closing = (i for i, figure in enumerate(figures, 1) if ")" in figure and "(" not in figure)
        return next(closing, len(figures))
    first = figures[0]
    is_mark = not label[-1:].isspace() and MARK.fullmatch(first) is not None
    is_glued = label[-1:].isalpha() and re.fullmatch(r"\d\d?", first) is not None
    continues = _OPEN_LABEL.search(f"{label.rstrip(' $')} {first}") is not None
    return int(is_mark or is_glued or continues)
