"""Read Word, PowerPoint and Excel files; runs in the subprocess of `_worker.py`."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ._html import NOTE

_SEPARATOR = " | "
_CURRENCY = re.compile(r"(?<!\[)\$|[€£¥₹]")
"""Sign of a currency in a number's format; `[$-409]` names a language."""

_END = re.compile(r'[0#](,*)(?:"([^"]*)")?[^0#"]*$')
"""End of a number's format: a comma for each thousand it is divided by, and its unit."""


def read(path: str, most_cells: int) -> Iterator[str]:
    """Yield the paragraphs, slides or sheets of a file; a row of a table is a line.

    Args:
        path: The file.
        most_cells: Cells of a workbook that are read, empty ones included.

    Raises:
        ValueError: A package is missing, or the file is encrypted, damaged or of an older format.
    """
    suffix = Path(path).suffix.lower()
    readers: dict[str, Callable[[str], Iterator[str]]] = {
        ".docx": _document,
        ".pptx": _slides,
        ".xlsx": partial(_sheets, most_cells=most_cells),
    }
    try:
        yield from readers[suffix](path)
    except ModuleNotFoundError as error:
        command = "pip install 'arag-inspect[office]'"
        raise ValueError(f"needs {error.name}, which is not installed; run: {command}") from None
    except MemoryError:
        raise
    except Exception as error:  # the three packages raise what their parsers raise
        reason = f"{type(error).__name__}: {error}"[:120]
        raise ValueError(f"is damaged, encrypted or no {suffix[1:]} file ({reason})") from None


_HIDDEN = "w:rPr/w:vanish[not(@w:val='0' or @w:val='false' or @w:val='off')]"


def _document(path: str) -> Iterator[str]:
    from docx import Document
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn
    from docx.table import Table

    document = Document(path)
    outer = "[not(ancestor::w:tbl or ancestor::w:p)]"
    for block in document.element.body.xpath(f".//w:p{outer} | .//w:tbl{outer}"):
        if block.tag.endswith("}p"):
            yield from filter(str.strip, _paragraphs(block))
            continue
        for row in Table(block, document).rows:
            # a merged cell is in a row once for each column that it spans
            yield _row(" ".join(_paragraphs(cell._tc)) for cell in dict.fromkeys(row.cells))
    yield from _diagrams(document.part)
    for relation in document.part.rels.values():
        if relation.reltype.endswith(("/footnotes", "/endnotes")):
            for note in parse_xml(relation.target_part.blob).iter(qn("w:p")):
                yield from filter(str.strip, _paragraphs(note))
    if hidden := len(document.element.body.xpath(f".//w:r[{_HIDDEN}][w:t]")):
        yield f"{NOTE}{hidden} hidden passages"


def _paragraphs(element: Any) -> Iterator[str]:
    """Yield the paragraphs of a part of a Word file, also inserted ones and those in boxes."""
    copy = "ancestor::*[local-name()='Fallback' or local-name()='moveFrom']"
    for paragraph in element.xpath(f"descendant-or-self::w:p[not({copy})]"):
        runs = paragraph.xpath(f".//w:r[not({copy} or {_HIDDEN})]")
        yield "".join(run.text for run in runs if run.xpath("ancestor::w:p[1]") == [paragraph])


def _slides(path: str) -> Iterator[str]:
    from pptx import Presentation

    hidden = 0
    for slide in Presentation(path).slides:
        if slide.element.get("show") == "0":
            hidden += 1
            continue
        shapes = sorted(_flat(slide.shapes), key=lambda shape: (shape.top or 0, shape.left or 0))
        for shape in shapes:
            if shape.has_text_frame:
                yield shape.text_frame.text
            elif getattr(shape, "has_table", False):
                yield from (_row(cell.text for cell in row.cells) for row in shape.table.rows)
            elif getattr(shape, "has_chart", False):
                yield from _points(shape.chart.element)
        yield from _diagrams(slide.part)
        if slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame.text
        yield ""
    if hidden:
        yield f"{NOTE}{hidden} hidden slides"


def _diagrams(part: Any) -> Iterator[str]:
    """Yield the texts of the SmartArt of a slide or a Word file, a line each."""
    from lxml.etree import XMLParser, fromstring

    parser = XMLParser(resolve_entities=False, no_network=True)
    for relation in part.rels.values():
        if relation.reltype.endswith("/diagramData"):
            for node in fromstring(relation.target_part.blob, parser).iter("{*}pt"):
                if words := " ".join("".join(node.itertext("{*}t")).split()):
                    yield words


def _flat(shapes: Iterable[Any]) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _flat(shape.shapes)
        else:
            yield shape


def _points(chart: Any) -> Iterator[str]:
    """Yield the points of a chart: series, category, value."""
    for series in chart.xpath(".//c:ser"):
        name = " ".join(series.xpath("c:tx//c:v/text()"))
        labels = {pt.get("idx"): "".join(pt.itertext()) for pt in series.xpath("c:cat//c:pt")}
        for point in series.xpath("c:val//c:pt"):
            yield _row([name, labels.get(point.get("idx"), ""), "".join(point.itertext())])


def _row(cells: Iterable[str]) -> str:
    return _SEPARATOR.join(" ".join(cell.split()) for cell in cells)


def _sheets(path: str, most_cells: int) -> Iterator[str]:
    from openpyxl import load_workbook

    formulas = load_workbook(path, read_only=True)
    unsaved = hidden = cells_read = 0
    for sheet in load_workbook(path, read_only=True, data_only=True).worksheets:
        if sheet.sheet_state != "visible":
            hidden += 1
            continue
        yield sheet.title
        for row, written in zip(sheet.iter_rows(), formulas[sheet.title].iter_rows(), strict=True):
            cells_read += max(1, len(row))
            if cells_read > most_cells:
                break
            cells = [_shown(cell) for cell in row]
            unsaved += sum(
                formula.data_type == "f" and cell.value is None
                for cell, formula in zip(row, written, strict=True)
            )
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                yield _SEPARATOR.join(cells)
        yield ""
        if cells_read > most_cells:
            yield f"{NOTE}the cells after the first {most_cells:,}"
            break
    if hidden:
        yield f"{NOTE}{hidden} hidden sheets"
    if unsaved:
        yield f"{NOTE}the results of formulas in {unsaved} cells, which the file does not hold"


def _shown(cell: Any) -> str:
    """Return the value of a cell as it is shown: with its percent sign and thousands."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return " ".join(str(value).removesuffix(" 00:00:00").split())
    style = cell.number_format.partition(";")[0]
    sign = _CURRENCY.search(style)
    decimals = style.partition(".")[2]
    digits = len(decimals) - len(decimals.lstrip("0"))
    if "%" in style:
        return f"{value:.{digits}%}"
    if style == "General":
        return f"{value:.15g}"
    end = _END.search(style)
    thousands, unit = (len(end[1]), end[2] or "") if end else (0, "")
    number = f"{abs(value) / 1000**thousands:{',' * (',' in style)}.{digits}f}"
    return f"{'-' * (value < 0)}{sign[0] if sign and sign[0] not in unit else ''}{number}{unit}"
