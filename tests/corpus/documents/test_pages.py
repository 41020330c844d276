"""Tests of reading pages and texts, by kind; the cases are in `pages.yaml` and `texts.yaml`."""

from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from arag_inspect.corpus.documents._html import change_each
from arag_inspect.corpus.documents.text import read_text
from tests.tables import tables_beside


def _cases(name: str) -> list[Any]:
    kinds = tables_beside(__file__, name)
    return [
        pytest.param(*case.values(), id=f"{kind}-{number}")
        for kind, cases in kinds.items()
        for number, case in enumerate(cases, start=1)
    ]


def _read(path: Path) -> list[str]:
    return [line for line in read_text(path)[0].split("\n") if line]


@pytest.mark.parametrize(("page", "lines"), _cases("pages.yaml"))
def test_html_page_is_read_as_expected_lines(tmp_path: Path, page: str, lines: list[str]) -> None:
    path = tmp_path / "a.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{page}</body>")
    text, left_out, *_ = read_text(path)
    assert [line for line in text.split("\n") if line] == lines
    assert not left_out


@pytest.mark.parametrize(("name", "content", "lines"), _cases("texts.yaml"))
def test_text_file_is_read_as_expected_lines(
    tmp_path: Path, name: str, content: str, lines: list[str]
) -> None:
    (tmp_path / name).write_text(content)
    assert _read(tmp_path / name) == lines


_NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
    'Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
    'PartName="/word/document.xml" '
    'ContentType="application'
    '/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_LINKS = (
    "<Relationships "
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def _run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def _cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p>{_run(text)}</w:p></w:tc>"


def _control(content: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{content}</w:sdtContent></w:sdt>"


RAISED = "<w:vertAlign w:val='superscript'/>"
ROW = f"<w:tr>{_cell('Sales')}{_cell('5')}{_cell('4')}</w:tr>"
BEGUN, CONTINUED = "<w:vMerge w:val='restart'/>", "<w:vMerge/>"
HEAD = f"<w:tr>{_cell('Item')}{_cell('2023')}{_cell('2022')}</w:tr>"


BODIES = [
    (f"<w:p>{_run('It was 12')}{_run('3', RAISED)}{_run('% in 2023.')}</w:p>",
     ["It was 12% in 2023."]),
    (f"<w:p>{_run('It was $412')}{_run('(1', RAISED)}{_run(')', RAISED)}{_run(' million.')}"
     "</w:p>", ["It was $412 million."]),
    (f"<w:p>{_run('It has 400 m')}{_run('2', RAISED)}{_run('.')}</w:p>", ["It has 400 m²."]),
    (f"<w:tbl>{HEAD}<w:tr>{_cell('Sales')}{_control(_cell('5'))}{_cell('4')}</w:tr></w:tbl>",
     ["Item | 2023 | 2022", "Sales | 5 | 4"]),
    (f"<w:tbl>{HEAD}{_control(ROW)}</w:tbl>", ["Item | 2023 | 2022", "Sales | 5 | 4"]),
    (f"<w:tbl>{HEAD}<w:tr>{_cell('Gain')}{_cell('')}{_cell('4')}</w:tr></w:tbl>",
     ["Item | 2023 | 2022", "Gain |  | 4"]),
    (f"<w:tbl>{HEAD}<w:tr>{_cell('Pumps', BEGUN)}{_cell('5')}{_cell('4')}</w:tr>"
     f"<w:tr>{_cell('', CONTINUED)}{_cell('7')}{_cell('6')}</w:tr></w:tbl>",
     ["Item | 2023 | 2022", "Pumps | 5 | 4", "Pumps | 7 | 6"]),
    (f"<w:p>{_run('Growth was ')}<m:oMath><m:f><m:num><m:r><m:t>412-388</m:t></m:r></m:num>"
     "<m:den><m:r><m:t>388</m:t></m:r></m:den></m:f><m:r><m:t>=6.2%</m:t></m:r></m:oMath>"
     f"{_run('.')}</w:p>", ["Growth was (412-388)/388=6.2%."]),
    ("<w:p><m:oMath><m:sSup><m:e><m:r><m:t>1.05</m:t></m:r></m:e>"
     "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>", ["1.05^2"]),
]  # fmt: skip


def test_word_file_is_read_as_expected_lines(tmp_path: Path) -> None:
    pytest.importorskip("docx")
    bodies = "".join(body for body, _ in BODIES)
    with ZipFile(tmp_path / "a.docx", "w") as package:
        package.writestr("[Content_Types].xml", _TYPES)
        package.writestr("_rels/.rels", _LINKS)
        document = f"<w:document {_NAMES}><w:body>{bodies}<w:sectPr/></w:body></w:document>"
        package.writestr("word/document.xml", document)
    assert _read(tmp_path / "a.docx") == [line for _, lines in BODIES for line in lines]


CELLS = [
    (14.2, '0.0"%"', "14.2%"),
    (14.2, "0.0\\%", "14.2%"),
    (0.142, "0.0%", "14.2%"),
    (0.5, "# ?/?", "0.5"),
    (0.25, "# ??/??", "0.25"),
    (1234500, '#,##0.0,,"m"', "1.2m"),
    (412, '"$"#,##0_);\\("$"#,##0\\)', "$412"),
    (date(2027, 6, 1), "mmmm yyyy", "June 2027"),
    (date(2027, 6, 1), "mmm\\-yy", "June 2027"),
    (date(2027, 6, 1), "[$-409]yyyy", "2027"),
    (date(2027, 6, 1), "dd/mm/yyyy", "2027-06-01"),
]


def test_excel_cell_is_read_in_displayed_format(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for number, (value, number_format, _) in enumerate(CELLS, start=1):
        book.active.append(["Item", value])
        book.active[f"B{number}"].number_format = number_format
    book.save(tmp_path / "a.xlsx")
    assert _read(tmp_path / "a.xlsx")[1:] == [f"Item | {shown}" for *_, shown in CELLS]


def test_hidden_rows_and_columns_are_skipped_and_counted(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ["Item", 2023, 2022, 2021],
        ["Sales", 5, 4, 777],
        ["Budget", 999, 998, 997],
        ["Gain", 2],
    ):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    book.active.column_dimensions["D"].hidden = True
    book.save(tmp_path / "a.xlsx")
    text, left_out, *_ = read_text(tmp_path / "a.xlsx")
    assert text.split("\n")[1:4] == ["Item | 2023 | 2022", "Sales | 5 | 4", "Gain | 2 |"]
    assert left_out == "1 hidden rows and 1 hidden columns of sheet Sheet"


def test_table_labels_do_not_trigger_language_note(tmp_path: Path) -> None:
    nouns = ["sales", "income", "profit", "margin", "assets", "debt"]
    rows = [
        f"{kind} {noun} | {number} | 9"
        for kind in ("Net", "Gross", "Other", "Core")
        for number, noun in enumerate(nouns)
    ]
    (tmp_path / "a.md").write_text("\n".join(["Item | 2023 | 2022", *rows]))
    assert not read_text(tmp_path / "a.md")[1]


def test_change_each_continues_after_failing_element() -> None:
    element = [1]
    assert change_each([element, None, element], lambda part: part.append(2)) == 1
    assert element == [1, 2, 2]


def test_html_element_with_invalid_layout_does_not_lose_others(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    margin = f"margin-top:{'9' * 400}em"
    path.write_text(f"<p>Sales rose.</p><p style='{margin}'>Costs <b>fell</b>.</p><p>Tax fell.</p>")
    assert read_text(path)[0].split() == ["Sales", "rose.", "Costs", "fell.", "Tax", "fell."]
