"""Hidden rows and columns of an Excel file, which streaming `openpyxl` does not report."""

from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MOST_COLUMNS = 16_384


def hidden_parts(path: str, title: str) -> tuple[set[int], set[int]]:
    """Return the hidden rows and columns of a sheet, counted from 1."""
    rows: set[int] = set()
    columns: set[int] = set()
    with ZipFile(path) as package:
        for part in _parts(package, title):
            if part.get("hidden") not in ("1", "true"):
                continue
            if part.tag.endswith("}col"):
                last = min(int(part.get("max")), _MOST_COLUMNS)
                columns.update(range(int(part.get("min")), last + 1))
            elif part.get("r"):
                rows.add(int(part.get("r")))
    return rows, columns


def _parts(package: ZipFile, title: str) -> Iterator[Any]:
    """Yield the elements of the rows and columns of a sheet."""
    from lxml.etree import XMLParser, fromstring, iterparse

    parser = XMLParser(resolve_entities=False, no_network=True)
    links = fromstring(package.read("xl/_rels/workbook.xml.rels"), parser)
    targets = {link.get("Id"): link.get("Target") for link in links}
    for sheet in fromstring(package.read("xl/workbook.xml"), parser).iter("{*}sheet"):
        if sheet.get("name") != title:
            continue
        target = targets[sheet.get(_ID)]
        name = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        with package.open(name) as content:
            for _, part in iterparse(content, tag=("{*}row", "{*}col"), resolve_entities=False):
                yield part
                part.clear()
