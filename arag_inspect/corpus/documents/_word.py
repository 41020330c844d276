"""Read Word files; see `_office.py`."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ._grid import GridCell, lines_of
from ._html import NOTE, format_raised

_HIDDEN = "w:rPr/w:vanish[not(@w:val='0' or @w:val='false' or @w:val='off')]"
_COPY = "ancestor::*[local-name()='Fallback' or local-name()='moveFrom']"
_RAISED = "w:rPr/w:vertAlign[@w:val='superscript']"


def read_document(path: str) -> Iterator[str]:
    """Yield the paragraphs and rows of a Word file, then its diagrams and notes."""
    from docx import Document
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn

    document = Document(path)
    outermost_filter = "[not(ancestor::w:tbl or ancestor::w:p)]"
    for block in document.element.body.xpath(
        f".//w:p{outermost_filter} | .//w:tbl{outermost_filter}"
    ):
        if block.tag.endswith("}p"):
            yield from filter(str.strip, _paragraphs(block))
        else:
            yield from lines_of(_rows(block))
    yield from diagrams(document.part)
    for relation in document.part.rels.values():
        if relation.reltype.endswith(("/footnotes", "/endnotes")):
            for note in parse_xml(relation.target_part.blob).iter(qn("w:p")):
                yield from filter(str.strip, _paragraphs(note))
    hidden = len(document.element.body.xpath(f".//w:r[{_HIDDEN}][w:t]"))
    if hidden:
        yield f"{NOTE}{hidden} hidden passages"


def diagrams(part: Any) -> Iterator[str]:
    """Yield the texts of the SmartArt of a slide or a Word file, a line each."""
    from lxml.etree import XMLParser, fromstring

    parser = XMLParser(resolve_entities=False, no_network=True)
    for relation in part.rels.values():
        if relation.reltype.endswith("/diagramData"):
            for node in fromstring(relation.target_part.blob, parser).iter("{*}pt"):
                words = " ".join("".join(node.itertext("{*}t")).split())
                if words:
                    yield words


def _rows(table: Any) -> Iterator[list[GridCell]]:
    """Yield the cells of each row of a table, including those within content controls."""
    texts_above: dict[int, str] = {}
    for row in _parts(table, "w:tr", "ancestor::w:tbl[1]"):
        cells: list[GridCell] = []
        column = int(next(iter(row.xpath("w:trPr/w:gridBefore/@w:val")), 0))
        for cell in _parts(row, "w:tc", "ancestor::w:tr[1]"):
            width = int(next(iter(cell.xpath("w:tcPr/w:gridSpan/@w:val")), 1))
            text = " ".join(" ".join(_paragraphs(cell)).split())
            if cell.xpath("w:tcPr/w:vMerge[not(@w:val='restart')]"):
                text = text or texts_above.get(column, "")
            texts_above[column] = text
            cells.append(GridCell(column, column + width, text))
            column += width
        yield cells


def _parts(owner_element: Any, name: str, owner: str) -> list[Any]:
    return [
        part for part in owner_element.xpath(f".//{name}") if part.xpath(owner) == [owner_element]
    ]


def _paragraphs(element: Any) -> Iterator[str]:
    """Yield the paragraphs of a part of a Word file, including inserted and boxed paragraphs."""
    for paragraph in element.xpath(f"descendant-or-self::w:p[not({_COPY})]"):
        runs = paragraph.xpath(
            f".//w:r[not({_COPY} or {_HIDDEN})] | .//*[local-name()='oMath'][not({_COPY})]"
        )
        yield _text([run for run in runs if next(run.iterancestors(paragraph.tag)) is paragraph])


def _text(runs: list[Any]) -> str:
    """Return the text of runs and equations, without the raised marks of footnotes."""
    pieces = [
        ("".join(map(_run_text, group)), is_raised)
        for is_raised, group in groupby(runs, key=_is_raised)
    ]
    text = ""
    for index, (piece, is_raised) in enumerate(pieces, start=1):
        after = pieces[index][0] if index < len(pieces) else ""
        text += format_raised(text, piece, after) if is_raised else piece
    return text


def _is_raised(run: Any) -> bool:
    return not _is_equation(run) and bool(run.xpath(_RAISED))


def _is_equation(run: Any) -> bool:
    return bool(run.tag.endswith("}oMath"))


def _run_text(run: Any) -> str:
    return _equation(run) if _is_equation(run) else str(run.text)


def _equation(element: Any) -> str:
    """Return an equation on one line: fractions with `/`, exponents with `^`."""
    name = element.tag.rpartition("}")[2]
    if name == "t":
        return element.text or ""
    parts = [_equation(child) for child in element]
    if name in ("f", "sSup"):
        filled_parts = [part for part in parts if part]
        first, second = map(_bracket, filled_parts[:2])
        return f"{first}{'/' if name == 'f' else '^'}{second}"
    return "".join(parts)


def _bracket(part: str) -> str:
    return part if part.replace(".", "").replace(",", "").isalnum() else f"({part})"
