"""Read an inline-XBRL page with its tagged figures; runs in the subprocess of `_worker.py`.

The digits of a tagged figure are written as Unicode mathematical digits. These are laid out like
plain digits and locate the figure in the page's text. Neighbours use other styles.
"""

import json
from collections.abc import Iterator
from typing import Any

from . import _html

STYLES = tuple("".join(map(chr, range(start, start + 10))) for start in range(0x1D7CE, 0x1D800, 10))
"""Digits from 0 to 9 of each style."""

_TO_STYLES = tuple(str.maketrans("0123456789", digits) for digits in STYLES)
_ATTRIBUTES = ("name", "scale", "sign", "format")
_FIGURE = "ix:nonfraction"
_HEADER = "ix:header"


def read(path: str) -> Iterator[str]:
    """Yield a page's text, notes, and tags as JSON from standard input; see `_html.read`."""
    tags: dict[str, Any] = {}
    yield from _html.read(path, lambda tree: tags.update(_tags(tree)))
    yield json.dumps(tags)


def _tags(tree: Any) -> dict[str, Any]:
    """Return the company and the figures of a page, whose digits are marked."""
    contexts = {part.get("id"): part for part in _find_elements(tree, "context")}
    units = {part.get("id"): _texts(part, "measure") for part in _find_elements(tree, "unit")}
    figures: list[dict[str, Any]] = []
    for element in tree.iter(_FIGURE):
        if next(element.iterancestors(_FIGURE, _HEADER), None) is not None:
            continue  # hidden, or the same figure tagged twice
        _mark(element, _TO_STYLES[len(figures) % len(STYLES)])
        fields = {name: (element.get(name) or "").strip() for name in _ATTRIBUTES}
        context = contexts.get(element.get("contextref"))
        figures.append(
            {
                **fields,
                "text": "".join(element.itertext()),
                "unit": units.get(element.get("unitref"), []),
                "dates": []
                if context is None
                else _texts(context, "startdate", "enddate", "instant"),
                "has_dimensions": bool(
                    context is not None and _find_elements(context, "segment", "scenario")
                ),
            }
        )
    company = tree.xpath("string(//*[@name='dei:EntityRegistrantName'])")
    return {"company": " ".join(company.split()), "figures": figures}


def _mark(figure: Any, style_digits: dict[int, int]) -> None:
    for part in figure.iter():
        part.text = (part.text or "").translate(style_digits)
        if part is not figure:
            part.tail = (part.tail or "").translate(style_digits)


def _find_elements(tree: Any, *names: str) -> list[Any]:
    """Return elements by name, in any namespace."""
    return [part for part in tree.iter() if str(part.tag).rpartition(":")[2] in names]


def _texts(element: Any, *names: str) -> list[str]:
    return [(part.text or "").strip() for part in _find_elements(element, *names)]
