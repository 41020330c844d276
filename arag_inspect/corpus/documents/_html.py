"""Read the text of an HTML page; runs in the subprocess of `_worker.py`."""

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import compress, groupby, zip_longest
from typing import Any

PAGE_BREAK = "\ue00c"
"""Line that stands for a page break."""

_SEPARATOR = " | "
_HIDDEN = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|\b(?:font-size|opacity)\s*:\s*0(?!\.?\d)[a-z%]*)(?![\w-])",
    re.I,
)
_MEDIA = re.compile(r"@media(?![^{]*\b(?:screen|all)\b)[^{}]{0,200}\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_SELECTOR = re.compile(
    r"(?:(?<![a-z0-9])(?P<tag>[a-z][a-z0-9]*))?(?P<kind>[.#])(?P<name>[\w-]+)", re.I
)
_RAISED = re.compile(r"vertical-align\s*:\s*super\b|(?<![\w-])top\s*:\s*-\d", re.I)
_BREAK = re.compile(r"(?:page-)?break-(?P<side>before|after)\s*:\s*(?:always|page)\b", re.I)
_BLOCKS = (
    "section", "details", "summary", "dl", "dt", "dd", "form", "fieldset", "legend", "hr", "center", "dir", "menu", "caption",
    "option", "optgroup", "button", "dialog", "search", "text",
)  # fmt: skip
"""Elements that begin a line, besides those of the parser's own profile; `text` is one of a drawing."""

_UNSHOWN = ("head", "script", "style", "template", "noscript", "ix:header", "ix:exclude")
_INLINE = {"a", "b", "i", "u", "em", "font", "small", "span", "strong", "sub", "sup"}
_OPENING = re.compile(r"(?:US|C|A|HK)?[$€£¥]\s?\(?|\(")
_CLOSING = re.compile(r"\)|\)?\s?%\s?\)?")
"""Cells with signs of the figure in the next cell or the one before."""

_LONGEST_CELL = 300
"""Characters; a longer cell keeps its paragraphs, as it lays out the page."""


def read(path: str) -> Iterator[str]:
    """Yield the text of the page on standard input, as a browser shows it.

    Raises:
        ValueError: It is nested too deeply, or no HTML.
    """
    from inscriptis.css_profiles import STRICT_CSS_PROFILE
    from inscriptis.html_engine import Inscriptis
    from inscriptis.model.config import ParserConfig
    from lxml.etree import LxmlError
    from lxml.html import HTMLParser, document_fromstring

    html = re.sub(r"^\s*<\?xml[^>]*\?>", "", sys.stdin.buffer.read().decode())
    if not html.strip():
        return
    try:
        # without huge_tree, lxml drops what is nested deeper than 256 or longer than 10 MB
        tree = document_fromstring(html, parser=HTMLParser(huge_tree=True, remove_comments=True))
        _drop_hidden(tree)
        _drop_footnote_marks(tree)
        _mark_page_breaks(tree)
        _unfold_layout(tree)
        _flatten_cells(tree)
        blocks = dict.fromkeys(_BLOCKS, STRICT_CSS_PROFILE["div"])
        config = ParserConfig(css=STRICT_CSS_PROFILE | blocks, table_cell_separator=_SEPARATOR)
        text = Inscriptis(tree, config).get_text()
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except LxmlError as error:
        raise ValueError(f"is not readable HTML ({error})") from None
    lines = (re.sub(r"[ \t\xa0]+", " ", line) for line in text.splitlines())
    yield "\n".join(_joined_cells(lines))


def _drop_hidden(tree: Any) -> None:
    hidden: set[tuple[str | None, ...]] = set()
    for style in tree.iter("style"):
        css = _MEDIA.sub("", re.sub(r"/\*.*?\*/", "", style.text or "", flags=re.DOTALL))
        for block in css.split("}"):
            head, _, rules = block.rpartition("{")
            if _HIDDEN.search(rules):
                selectors = head.rpartition("{")[2].split(",")
                matches = map(_SELECTOR.fullmatch, map(str.strip, selectors))
                hidden.update(match.groups() for match in matches if match)
    for element in list(tree.iter()):
        names = [(".", name) for name in (element.get("class") or "").split()]
        names += [("#", element.get("id"))]
        if element is not tree and (
            element.tag in _UNSHOWN
            or element.get("hidden") is not None
            or _HIDDEN.search(element.get("style") or "")
            or any((tag, *name) in hidden for name in names for tag in (None, element.tag))
        ):
            element.drop_tree()


def _drop_footnote_marks(tree: Any) -> None:
    """Drop the raised marks of footnotes, and write exponents as such."""
    for element in list(tree.iter()):
        text = "".join(element.itertext()).strip() if _may_be_raised(element) else ""
        if text:
            above = element.getprevious()
            if above is None:
                before = element.getparent().text or ""
            else:
                before = above.tail or "".join(above.itertext())
            for child in list(element):
                child.drop_tree()
            if element.tag == "sup" or before.strip():
                text = raised(before, text, element.tail or "")
            element.text = text


def _may_be_raised(element: Any) -> bool:
    return element.tag == "sup" or (
        bool(_RAISED.search(element.get("style") or "")) and (element.tag in _INLINE)
    )


def _mark_page_breaks(tree: Any) -> None:
    from lxml.html import Element

    for element in list(tree.iter()):
        match = _BREAK.search(element.get("style") or "")
        if match and element.getparent() is not None and element.tag not in ("td", "th", "tr"):
            mark = Element("p")
            mark.text = PAGE_BREAK
            (element.addnext if match["side"].lower() == "after" else element.addprevious)(mark)


def _unfold_layout(tree: Any) -> None:
    """Make blocks of the cells of a table that lays out text beside a table of several rows."""
    for inner in list(tree.iter("table")):
        outer = next(inner.iterancestors("table"), None)
        if outer is not None and len(list(inner.iter("tr"))) > 1:
            parts = outer.iterdescendants("tbody", "tr", "td", "th")
            own = [part for part in parts if next(part.iterancestors("table")) is outer]
            for element in (outer, *own):
                element.tag = "div"


def _flatten_cells(tree: Any) -> None:
    """Put the text of each cell on one line, so that a figure stays beside its label."""
    for cell in tree.iter("td", "th"):
        if cell.find(".//table") is not None:
            continue
        for element in cell.iterdescendants():
            if element.tag not in _INLINE and not str(element.tag).startswith("ix:"):
                element.text = f" {element.text or ''}"
                element.tail = f" {element.tail or ''}"
        text = " ".join("".join(cell.itertext()).split())
        if len(text) <= _LONGEST_CELL:
            for element in list(cell):
                cell.remove(element)
            cell.text = text


def _joined_cells(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines, those of tables without empty columns and with the signs of figures joined."""
    for is_table, group in groupby(lines, lambda line: _SEPARATOR.strip() in line):
        if not is_table:
            yield from (line.strip() for line in group)
            continue
        rows = [[cell.strip() for cell in line.split("|")] for line in group]
        used = [any(column) for column in zip_longest(*rows)]
        joined = [_joined_signs(list(compress(cells, used))) for cells in rows]
        even = len({len(cells) for cells in joined}) == 1 and len(joined[0]) == sum(used)
        for cells in joined:
            yield _SEPARATOR.join(cells if even else filter(None, cells)).strip()


def _joined_signs(cells: Sequence[str]) -> list[str]:
    """Join `$`, `(45` and `)`, or `12` and `%`, which EDGAR's pages have in cells of their own."""
    joined: list[str] = []
    sign = ""
    for cell in cells:
        if _OPENING.fullmatch(cell):
            sign += cell
        elif _CLOSING.fullmatch(cell) and joined and joined[-1]:
            joined[-1] += cell
        elif cell or not sign:
            joined.append(sign + cell)
            sign = ""
    return [*joined, sign] if sign else joined


_MARK = re.compile(r"[\s(\[]*\d{1,2}(?:[\s()\[\],]*\d{1,2})*[\s)\]]*|[*†‡§]+|\s*\([a-z]\)\s*")
_BASE = re.compile(r"(?:(?<![\d.,$€£])10|(?<![A-Za-z])(?:[kcdm]?m|ft|in|yd|mi))$")
"""What a raised number is an exponent of: powers of ten, areas and volumes."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def raised(before: str, text: str, after: str) -> str:
    """Return what is written for raised text: nothing for a footnote's mark, `²` after `m`, ` 1` of `6 1/2`.

    Args:
        before: Text before it.
        text: The raised text.
        after: Text after it.
    """
    if not _MARK.fullmatch(text):
        return text
    if after.startswith(("/", "⁄")):
        return f" {text}" if before[-1:].isdigit() else text
    if text.isdigit() and _BASE.search(before) and not after.startswith("%"):
        return text.translate(_SUPERSCRIPTS)
    return ""
