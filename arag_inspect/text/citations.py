"""Find marks of citations in an answer, their passages, and the text without them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_IDS = r"\d{1,7}(?:(?:\s*[;:]\s*|,\s+|,(?!\d{3}\b)|\s*[-–]\s*)\d{1,7})*"
_HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_HEAD = (
    r"(?:chunks?|chunk[ _]ids?|docs?\.?|documents?|passages?|sources?|src|refs?\.?|references?"
    r"|cite|citations?|excerpts?|snippets?|contexts?|ids?)[ _]?[:#]?\s*\#?"
)
_PLACE = r"\b(?:pp?\.|pages?|paras?\.?|paragraphs?|lines?|footnotes?|fn\.?)\s?\#?\d{1,4}\b"
_SOURCE = r"(?:sources?|references?|refs?|cit(?:e|ed|ations?))\s*:"
_FILE = r"\w\.(?:pdf|txt|html?|md|docx)\b"
_AMOUNT = r"[$€£¥₹%]|\b(?:thousand|million|billion|percent|bps)\b"
_MARK = re.compile(
    rf"""
    (?=[\\\[(【 \t:\ue200<$^{_HIGH}])(?:  # all of them start with one of these
      \\?\[\\?\[(?P<double>{_IDS})\\?\]\\?\](?:\([^()\s]*\))?
    | \\?\[(?P<link>{_IDS})\\?\]\([^()\s]*\)
    | \\?\[(?P<plain>{_IDS})\\?\](?!\s?(?:%|percent|basis|thousand|million|billion|trillion))
    | [\[(]{_HEAD}(?P<named>{_IDS})[\])]
    | 【(?:{_HEAD})?(?P<wide>{_IDS})(?:†[^【】\n]{{0,80}})?】
    | ^[ \t]*\[\^[\w.-]{{1,30}}\]:.*\n?  # a footnote itself
    | \[\^[\w.-]{{1,30}}\^?\] | \^\[\d{{1,4}}\]
    | \[cite_(?:start|end)\] | 【[^【】\n]{{0,60}}†[^【】\n]{{0,80}}】
    | :contentReference\[oaicite:\d+\](?:\{{index=\d+\}})? | \ue200cite(?:\ue202\w+)+\ue201
    | (?P<raised><(?P<tag>sup|ref|cite|citation|source)\b[^<>]{{0,80}}>
        \s*(?:<a\b[^<>]{{0,200}}>)?\s*\[?{_IDS}\]?\s*(?:</a>)?\s*</(?P=tag)>
      | [{_HIGH}]+(?:\s?[,⁻–-]\s?[{_HIGH}]+)*
      | \$\^\{{\s*\[?{_IDS}\]?\s*\}}\$ | \^\{{\s*\[?{_IDS}\]?\s*\}} | \^\d{{1,3}}(?:,\d{{1,3}})*)
    | </?(?:cite|citation|co|ref)\b[^<>]{{0,80}}>
    | [\[(](?![^\[\]()\n]{{0,120}}(?:{_AMOUNT}))  # a source, or the place in one
        (?=\s*+(?:(?:see|cf\.?|from|per)\s\s*+)?{_SOURCE}
          |(?:[^\[\]()\n]|\([^\[\]()\n]{{0,60}}\)){{0,100}}?(?:{_PLACE}|{_FILE}))
        (?:[^\[\]()\n]|\([^\[\]()\n]{{0,60}}\)){{1,120}}[\])])
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_POWER = re.compile(
    r"(?:\b(?:[a-z]|[cdkmn]m|ft|in|yd|mi|sq|co)|(?<![\d.,])(?:10|[01]?\.\d+|[01]\.\d+)"
    r"|\(\d*\.?\d+\)|\(1\s?[+-][^()]{1,20}\))$",
    re.IGNORECASE,
)
"""Text before a raised number that may make it an exponent: m, km, x, 10, 1.05, (1 + r)."""

_PLAIN_NUMBER = re.compile(r"(?<![\d.,$€£¥₹])\d{1,3}$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|of|for|to|from|by|since|than|and|fiscal|years?|quarter|half|january|february|march"
    r"|april|may|june|july|august|september|october|november|december)|\(sic\)),?\s*$",
    re.IGNORECASE,
)
_LISTED = (
    rf"(?=[ \t]*(?:[-*•][ \t]*)?(?:\\?\[\^?\d+\]|[{_HIGH}]|【)|[^\n]*(?:{_PLACE}|https?://"
    rf"|{_FILE}))[^\n]+(?:\n+|\Z)"
)
_REFERENCES = re.compile(
    r"(?im)^[ \t#*_]*(?:sources?|references|citations|footnotes|works cited)[*_]*:?[*_]*[ \t]*"
    rf"(?:\n+|(?<=[:*_\s]))(?:{_LISTED})+\Z"
)
"""A list of references at the end of an answer."""

_CLOSING = ".,;:!?)]}\"'”’»%…"


class Mark(NamedTuple):
    """A mark in a text."""

    start: int
    end: int
    ids: tuple[int, ...]
    """Passages that it refers to: none for pages, footnotes and titles."""


def find_marks(text: str) -> Iterator[Mark]:
    r"""Yield the marks of citations in a text.

    A mark follows a statement and names its source: `[3]`, `[1][2]`, `[chunk
    7]`, `【3†source】`, `[cite: 12, 14]`, `[[3]](url)`, `(p. 12)`, `[Source: 10-K, p. 45]`, `[^3]`,
    `¹`, `<sup>3</sup>`, `^3`, or a list of references at the end. Bracketed figures are not marks:
    `(3)`, `[11.3%]`, `$[3] million`, `[2021]` after "in", `[2] plants` inside a quotation; nor are
    exponents. JSON has no marks.
    """
    if text.lstrip()[:2].startswith(("{", "``", '["', "[{")):  # JSON
        return
    references = _REFERENCES.search(text) if "\n" in text else None
    end = references.start() if references else len(text)
    end_of_last_mark = -1
    position = 0
    straight = curly = 0  # quotation marks of the line: all straight ones, curly ones still open
    for match in _MARK.finditer(text, 0, end):
        _, line_end, line = text[position : match.start()].rpartition("\n")
        if line_end:  # a quotation ends with its line
            straight = curly = 0
        straight += line.count('"')
        curly += line.count("“") - line.count("”")
        position = match.start()
        is_quoted = straight % 2 == 1 or curly > 0
        if match.start() == end_of_last_mark or _is_mark(match, text, is_quoted):
            end_of_last_mark = match.end()
            yield Mark(*match.span(), _passage_ids(match))
    if references:
        yield Mark(end, len(text), ())


def without_marks(text: str) -> str:
    """Return a text without the marks of citations and the white space before them."""
    cleaned = ""
    position = 0
    for start, end, _ in find_marks(text):
        cleaned += text[position:start]
        position = end
        after = text[end : end + 1]
        if not after:
            cleaned = cleaned.rstrip()
        elif after.isspace() or after in _CLOSING:
            cleaned = cleaned.rstrip(" \t\xa0\u202f")
        elif cleaned.endswith((".", "!", "?")) and after.isalpha():
            cleaned += " "
        if not cleaned or cleaned.endswith("\n"):  # a mark in front of a line
            while text[position : position + 1] in (" ", "\t"):
                position += 1
    return cleaned + text[position:]


def _passage_ids(match: re.Match[str]) -> tuple[int, ...]:
    """Return the passages that a mark names."""
    ids = match["double"] or match["link"] or match["plain"] or match["named"] or match["wide"]
    return tuple(map(int, re.findall(r"(?<![:\d])\d+", ids or "")))


def _is_mark(match: re.Match[str], text: str, is_quoted: bool) -> bool:
    """Return whether an apparent mark is a citation, not a figure, year or exponent."""
    before = text[max(0, match.start() - 200) : match.start()]
    after = text[match.end() : match.end() + 8]
    if match["plain"]:
        return _is_plain_mark(match["plain"], before, after, is_quoted)
    if match["raised"]:
        return _is_raised_mark(match["raised"], before, after)
    return True


def _is_plain_mark(number: str, before: str, after: str, is_quoted: bool) -> bool:
    if before.endswith(("$", "€", "£", "¥", "₹")):
        return False
    if _YEAR.fullmatch(number):
        is_year = _BEFORE_YEAR.search(before) or re.match(r"\s[A-Z]{2}", after)
        return not (is_year or is_quoted)
    return not (is_quoted and re.match(r"\s[a-z]", after))


def _is_raised_mark(raised: str, before: str, after: str) -> bool:
    is_power = _POWER.search(before[-30:]) is not None
    if raised[0] == "^" and _PLAIN_NUMBER.search(before[-5:]):
        is_power = True
    return not is_power or raised == "¹" or after.lstrip()[:1] == "%"
