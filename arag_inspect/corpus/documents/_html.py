"""Read the text of an HTML page; runs in the subprocess of `_worker.py`."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._html_tables import INLINE, write_table
from ._layout import mark_tables
from ._styles import Styles

PAGE_BREAK = "\ue00c"
"""Line that marks a page break."""

NOTE = "\ue00d"
"""Character before a line about an omitted part of the file."""

_HIDDEN = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|\b(?:font-size"
    r"|opacity)\s*:\s*0(?!\.?\d)[a-z%]*)(?![\w-])",
    re.I,
)
_RAISED = re.compile(r"vertical-align\s*:\s*super\b|(?<![\w-])top\s*:\s*-\d", re.I)
_BREAK = re.compile(r"(?:page-)?break-(?P<side>before|after)\s*:\s*(?:always|page)\b", re.I)
_BLOCKS = (
    "section details summary dl dt dd form fieldset legend hr center dir menu caption "
    "option optgroup button dialog search text"
).split()
"""Elements that begin a line, in addition to the parser's profile; `text` occurs in drawings."""

_UNSHOWN = ("head", "script", "style", "template", "noscript", "ix:header", "ix:exclude")


def read(path: str, look: Callable[[Any], None] = lambda tree: None) -> Iterator[str]:
    """Yield the text of the page on standard input, as a browser shows it.

    Args:
        path: The file, which is not read again.
        look: Called with the page before its hidden elements are dropped.

    Raises:
        ValueError: It is nested too deeply, or is not HTML.
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
        parser = HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
        tree = document_fromstring(html, parser=parser)
        look(tree)
        mark_tables(tree)
        _drop_hidden(tree)
        failed = change_each(_raised_elements(tree), _replace_raised)
        failed += change_each(list(tree.iter()), _mark_page_break)
        # inner tables come first
        failed += change_each(reversed(list(tree.iter("table"))), write_table)
        blocks = dict.fromkeys(_BLOCKS, STRICT_CSS_PROFILE["div"])
        config = ParserConfig(css=STRICT_CSS_PROFILE | blocks)
        text = _render_element(tree, lambda part: Inscriptis(part, config).get_text())
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except LxmlError as error:
        raise ValueError(f"is not readable HTML ({error})") from None
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.splitlines())
    yield "\n".join(lines)
    if failed:
        yield f"{NOTE}the marks or rows of {failed} elements, which could not be read"


def change_each(elements: Iterable[Any], change: Callable[[Any], None]) -> int:
    """Change elements one by one, so that a failure affects only one of them.

    Returns:
        How many failed.
    """
    failed = 0
    for element in elements:
        try:
            change(element)
        except (RecursionError, MemoryError):
            raise
        except Exception:  # a page may contain anything
            failed += 1
    return failed


def _render_element(element: Any, render: Callable[[Any], str]) -> str:
    """Return an element's text and tail; without a layout, the texts of its parts."""
    try:
        return render(element)
    except (RecursionError, MemoryError):
        raise
    except Exception:  # the library raises various errors about malformed attributes
        parts = [_render_element(part, render) for part in element]
        texts = [element.text, *parts, element.tail]
        return "\n".join(text for text in texts if text and text.strip())


def _drop_hidden(tree: Any) -> None:
    styles = Styles(tree, _HIDDEN)
    for element in list(tree.iter()):
        if element is not tree and (
            element.tag in _UNSHOWN
            or element.get("hidden") is not None
            or _HIDDEN.search(styles.style_of(element))
        ):
            element.drop_tree()


def _raised_elements(tree: Any) -> list[Any]:
    """Return the outermost raised elements."""
    raised_elements = filter(_may_be_raised, tree.iter())
    return [
        element
        for element in raised_elements
        if not any(map(_may_be_raised, element.iterancestors()))
    ]


def _replace_raised(element: Any) -> None:
    """Drop the raised mark of a footnote, and write an exponent as such."""
    text = "".join(element.itertext()).strip()
    if not text:
        return
    above = element.getprevious()
    if above is None:
        before = element.getparent().text or ""
    else:
        before = above.tail or "".join(above.itertext())
    for child in list(element):
        child.drop_tree()
    if element.tag == "sup" or before.strip():
        text = format_raised(before, text, element.tail or "")
    element.text = text


def _may_be_raised(element: Any) -> bool:
    return element.tag == "sup" or (
        bool(_RAISED.search(element.get("style") or "")) and (element.tag in INLINE)
    )


def _mark_page_break(element: Any) -> None:
    from lxml.html import Element

    match = _BREAK.search(element.get("style") or "")
    if match and element.getparent() is not None and element.tag not in ("td", "th", "tr"):
        mark = Element("p")
        mark.text = PAGE_BREAK
        (element.addnext if match["side"].lower() == "after" else element.addprevious)(mark)


_MARK = re.compile(r"[\s(\[]*\d{1,2}(?:[\s()\[\],]*\d{1,2})*[\s)\]]*|[*†‡§]+|\s*\([a-z]\)\s*")
_BASE = re.compile(r"(?:(?<![\d.,$€£])10|(?<![A-Za-z])(?:[kcdm]?m|ft|in|yd|mi))$")
"""Text before a raised number that makes it an exponent: powers of ten, areas and volumes."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_raised(before: str, text: str, after: str) -> str:
    """Return raised text as written: `` for a footnote's mark, `²` after `m`, ` 1` of `6 1/2`.

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
