"""Tests of reading files: encodings, pages, submissions, Markdown, transcripts, office files."""

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.corpus.documents.page_cleanup import clean_pages
from arag_inspect.corpus.documents.text import read_text, read_texts
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

APOSTROPHE = "The Company’s sales rose to 5 € in the year."


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("bom.html", b"\xef\xbb\xbf<meta charset=windows-1252><p>" + APOSTROPHE.encode(),
         APOSTROPHE),
        ("latin.html", b"<meta charset=iso-8859-1><p>" + APOSTROPHE.encode("cp1252"), APOSTROPHE),
        ("ascii.html", b"<meta charset=us-ascii><p>" + APOSTROPHE.encode("cp1252"), APOSTROPHE),
        ("x.xhtml", b'<?xml version="1.0" encoding="ISO-8859-1"?><html><p>caf\xe9</p></html>',
         "café"),
        ("sjis.htm", b"<meta charset=shift_jis><p>" + "売上①高".encode("cp932"), "売上①高"),
        ("gb.html",
         b'<meta http-equiv=x content="text/html; charset=gb2312"><p>' + "镕基".encode("gbk"),
         "镕基"),
        ("utf16.html", f"<p>{APOSTROPHE}".encode("utf-16-le"), APOSTROPHE),
        ("mark.txt", APOSTROPHE.encode("utf-16"), APOSTROPHE),
        ("little.txt", APOSTROPHE.encode("utf-16-le"), APOSTROPHE),
        ("big.text", APOSTROPHE.encode("utf-16-be"), APOSTROPHE),
        ("escaped.txt", b"R&amp;D at AT&T < 5%", "R&D at AT&T < 5%"),
        ("ratios.txt", b"12:30 in 2021\n10:15 in 2022\n11:45 in 2023",
         "12:30 in 2021\n10:15 in 2022\n11:45 in 2023"),
        ("unknown.html", b"<meta charset=nonsense><p>caf\xc3\xa9", "café"),
    ],
)  # fmt: skip
def test_read_text_detects_encoding(tmp_path: Path, name: str, content: bytes, text: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert read_text(tmp_path / name)[0] == text


PAGE = TABLES["page"]


def test_read_text_returns_html_as_displayed_by_browser(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE)
    text = read_text(tmp_path / "a.html")[0]
    assert not re.search(r"no\d", text)
    lines = """Shown.
A loss of $(12.5) million was met.
Margin was 12% on 400 m² of land.
It has 12 plants.
| 2022 | 2021
Net loss | $(45) | $12
Margin of sales | 12% | (3.1)%
Notes at 6 1/2%: $12.5 million.
Item | 2022 | 2021
Gain | | 5"""
    assert [line for line in text.split("\n") if line] == lines.split("\n")


def _document(kind: str, body: str) -> str:
    return f"<DOCUMENT>\n<TYPE>{kind}\n<FILENAME>f\n<TEXT>\n{body}\n</TEXT>\n</DOCUMENT>\n"


FORM = TABLES["form"]
PICTURE = "begin 644 g.jpg\n" + "M_]C_X  02D9)1@ ! 0   0 !  #_VP!# (\n" * 40 + "end"


@pytest.mark.parametrize("form", [FORM, f"<html><body><pre>{FORM[12:400]}</pre></body></html>"])
def test_full_submission_yields_form_and_requested_exhibits(tmp_path: Path, form: str) -> None:
    (tmp_path / "s.txt").write_text(
        "<SEC-DOCUMENT>0000.txt\n<SEC-HEADER>x\n</SEC-HEADER>\n"
        + _document("10-K405", form)
        + _document("EX-13.1", "The letter to shareholders.")
        + _document("EX-31", "I certify.") * 2
        + _document("GRAPHIC", PICTURE)
        + _document("EX-101.INS", "<XBRL>\n<xbrl>91</xbrl>\n</XBRL>")
    )
    texts, skipped, _ = read_texts({"s.txt": tmp_path / "s.txt"})
    assert "Net sales of the Company rose" in texts["s.txt"]
    assert not re.search("letter|certify|begin|xbrl|SEC-|TYPE", texts["s.txt"])
    (note,) = skipped
    assert note.partly and "1 EX-101.INS, 1 EX-13.1, 2 EX-31, 1 GRAPHIC" in note.reason
    texts, skipped, _ = read_texts({"s.txt": tmp_path / "s.txt"}, ["EX-13"])
    assert (
        texts["s.txt"].endswith("The letter to shareholders.") and "EX-13" not in skipped[0].reason
    )


@pytest.mark.parametrize(("kinds", "read"), TABLES["submissions"])
def test_submission_without_main_form_keeps_all_text_documents(
    tmp_path: Path, kinds: list[str], read: list[str]
) -> None:
    path = tmp_path / "s.txt"
    path.write_text("".join(_document(kind, f"Sales of {kind} rose.") for kind in kinds))
    assert re.findall(r"Sales of (\S+) rose", read_text(path)[0]) == read


def test_page_breaks_and_heads_of_text_filing_are_removed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FORM)
    text = read_text(tmp_path / "a.txt")[0]
    assert "largest segment declined to 31.4% in fiscal 1997." in text
    assert not re.search(r"<|Table of Contents", text)
    assert (
        "Interest expense rose by $1.1 million owing to borrowings under the revolving credit"
        in text
    )


DATA = "data:image/png;base64," + "iVBORw0KGgo" * 400


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        *TABLES["markdown"],
        (f"![Chart of sales]({DATA})\nSales rose.", "Chart of sales\nSales rose."),
        (f'<img src="{DATA}">\nSales rose.', "\nSales rose."),
        (f"[logo]: {DATA}\nSales rose.", "\nSales rose."),
    ],
)
@pytest.mark.parametrize("suffix", ["md", "markdown"])
def test_read_text_strips_markdown_links_images_and_front_matter(
    tmp_path: Path, markdown: str, text: str, suffix: str
) -> None:
    (tmp_path / f"a.{suffix}").write_text(markdown)
    assert read_text(tmp_path / f"a.{suffix}")[0].strip() == text.strip()


TURNS = (
    "Dana Holt: Net sales rose to $4.2 million, helped by pumps.\nBen Ash: And margins?\n"
    "Dana Holt: Up.\nBen Ash: Up."
)
VTT = TABLES["vtt"]
SRT = TABLES["srt"]
PARTS = [
    ("Dana Holt", "Net sales rose to $4.2 million,"),
    ("Dana Holt", "helped by pumps."),
    ("Ben Ash", "And margins?"),
    ("Dana Holt", "Up."),
    ("Ben Ash", "Up."),
]


RESULTS = {
    "transcript": "Net sales",
    "items": [{"content": "Net"}],
    "parts": [{"speaker_label": who, "transcript": text} for who, text in PARTS],
}


def _name_in_text(who: str, text: str) -> dict[str, str | None]:
    if text == "And margins?":
        return {"speaker": None, "text": f"{who}: {text}"}
    return {"speaker": who, "text": text}


def _segment(who: str, text: str) -> dict[str, object]:
    return {"start": 0.1, "text": text, "speaker": {"name": who}, "words": [{"word": "x"}]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.vtt", VTT),
        ("b.vtt", VTT.replace("\n", "\r\n")),
        ("a.srt", SRT),
        ("b.srt", SRT.replace("\n\n", "\n")),
        ("a.json", json.dumps([{"speaker": who, "text": text} for who, text in PARTS])),
        ("f.json", json.dumps([_name_in_text(who, text) for who, text in PARTS])),
        ("b.json", json.dumps({"text": "all", "segments": [_segment(*part) for part in PARTS]})),
        ("d.json", "".join(json.dumps({"name": who, "text": text}) + "\n" for who, text in PARTS)),
        ("e.json", json.dumps({"results": RESULTS})),
        ("c.json",
         json.dumps({"monologues": [{"name": who, "speech": [text]} for who, text in PARTS]})),
        ("a.txt",
         ("Dana Holt (00:13):\nNet sales rose to $4.2 million, helped by pumps.\n\n"
          "Ben Ash (00:21):\nAnd margins?\n\nDana Holt (00:23):\nUp.\n\nBen Ash (00:24):\nUp.\n\n"
          "Operator (00:25):\n")),
        ("b.txt",
         ("[00:00:01] Dana Holt: Net sales rose to $4.2 million, helped by pumps.\n"
          "[00:00:07] Ben Ash: And margins?\n"
          "[00:00:09] Dana Holt: Up.\n[00:00:09] Ben Ash: Up.\n")),
    ],
)  # fmt: skip
def test_transcript_formats_yield_same_speaker_turns(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_bytes(content.encode())
    text = read_text(tmp_path / name)[0]
    assert not re.search(r"00|-->|\b91\b", text.replace("$4.2", ""))
    if name.endswith(".txt"):
        text = re.sub(r":\n", ": ", re.sub(r"\n+", "\n", text)).removesuffix("Operator:").strip()
    assert text.replace("Operator:", "").strip() == TURNS


@pytest.mark.parametrize(("name", "content", "cause"), TABLES["unreadable"])
def test_read_text_reports_unreadable_file_in_one_line(
    tmp_path: Path, name: str, content: str, cause: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=cause) as caught:
        read_text(tmp_path / name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "left_out"),
    [
        ("a.txt", b"\xef\xbb\xbfSales rose \xe9\xff to 5.",
         "2 characters that its encoding does not have"),
        ("a.html", b"<meta charset=shift_jis><p>Sales rose \x81 to 5.", "1 character that its"),
        ("a.txt", "Der Umsatz stieg im Jahr auf 41 Mio. Euro und die Kosten. " * 8,
         "the text is not in English"),
        ("a.md", "Le chiffre d'affaires a augmenté de 5 % et les coûts du groupe. " * 5,
         "the text is not in English"),
        ("a.txt", "Выручка выросла до 4,2 млн.", "the text is in Cyrillic letters"),
        ("a.html", "<meta charset=utf-8><p>Οι πωλήσεις αυξήθηκαν κατά 5%.",
         "the text is in Greek letters"),
        ("a.json",
         '{"text": "Sales rose.", "rows": [{"item": "Sales", "2023": 5}, {"item": "Costs"}]}',
         "2 objects without a text"),
        ("a.json", '[{"text": "Sales rose.", "words": [{"word": "Sales", "start": 1}]}]', ""),
        ("a.json", '[{"speaker": "Ann", "text": "Sales rose."}, {"q": 3, "eps": 1.2}]',
         "1 objects without a text"),
        ("a.txt", "Net sales of Café de la Paix rose to 5 in the year.", ""),
        ("a.txt", "Item 2023\nNet sales 4,125\n", ""),
        ("a.txt", "net sales of pumps 5\ncost of sales and of the plant 7\n" * 9, ""),
        ("a.txt", "Omzet en winst stegen in 2023 en de kosten van het bedrijf daalden met 5%. " * 5,
         "not in English"),
        ("a.txt", "Liikevaihto kasvoi vuonna 2023 ja kulut laskivat viisi prosenttia. " * 6,
         "not in English"),
    ],
)  # fmt: skip
def test_read_texts_notes_partly_unread_content(
    tmp_path: Path, name: str, content: str | bytes, left_out: str
) -> None:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    texts, skipped, _ = read_texts({name: tmp_path / name})
    assert texts and [note.partly for note in skipped] == [True] * bool(left_out)
    assert all(left_out in note.reason for note in skipped)


@pytest.mark.parametrize(("name", "content", "text"), TABLES["visible"])
def test_read_text_returns_visible_text_only(
    tmp_path: Path, name: str, content: str, text: str
) -> None:
    (tmp_path / name).write_text(content, "utf-8-sig")
    lines = read_text(tmp_path / name)[0].split("\n")
    assert [line for line in lines if line] == text.split("\n")


@pytest.mark.parametrize("number", [1, 7, 9])
def test_read_text_rejects_binary_file_resembling_utf16(tmp_path: Path, number: int) -> None:
    content = b"".join(struct.pack("<h", n * number % 256) for n in range(600))
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(InputError, match="looks binary, not text"):
        read_text(tmp_path / "a.txt")


def test_read_text_accepts_symbol_font_characters(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\uf0b7 Sales: 5\n\uf0b7 Costs: 4\n\uf0b7 Tax: 1\n")
    assert "Costs: 4" in read_text(tmp_path / "a.txt")[0]


ROWS = (
    "total revenue (2022: $ 3.9 million): $ 4.2 million",
    "no. of plants: about 12",
    "operating margin: 12%",
    "staff: EUR 310 a head",
)


@pytest.mark.parametrize(("name", "end"), [("a.txt", "\n"), ("a.md", "\n"), ("a.html", "<br>")])
def test_label_and_figure_rows_are_not_joined(tmp_path: Path, name: str, end: str) -> None:
    wrapped = (
        "The gross profit margin declined to 31.4% in the fiscal year\n"
        "1997 because of the price of steel, and interest expense rose\nby $1.1 million."
    )
    body = [*ROWS, *ROWS[:2]]
    (tmp_path / name).write_text(
        f"{wrapped}\n\n<p>{end.join(body)}" if "h" in name else f"{wrapped}\n\n" + end.join(body)
    )
    assert read_text(tmp_path / name)[0].split("\n")[-len(body) :] == body
    assert clean_pages(["\n".join(body)]) == ["\n".join(body)]


TABLE = "<table><tr><td>Item</td><td>2023</td></tr><tr><td>Sales</td><td>4,125</td></tr></table>"


@pytest.mark.parametrize(("cells", "lines"), TABLES["nested"])
def test_nested_tables_and_text_are_read_in_order(
    tmp_path: Path, cells: list[str], lines: list[str]
) -> None:
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    (tmp_path / "a.html").write_text(f"<table><tr>{row}</tr></table>")
    assert [line for line in read_text(tmp_path / "a.html")[0].split("\n") if line] == lines


_NOTES = (
    '<w:{0}s xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:{0} '
    'w:id="1"><w:p><w:r><w:t>Without the $7 million.</w:t></w:r></w:p></w:{0}></w:{0}s>'
)
_NODES = (
    '<d:dataModel xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><d:ptLst><d:pt><d:t><a:p>'
    "<a:r><a:t>Pumps 62%</a:t></a:r></a:p></d:t></d:pt><d:pt/></d:ptLst></d:dataModel>"
)


@pytest.mark.parametrize(
    ("kind", "xml", "line"),
    [
        ("footnotes", _NOTES.format("footnote"), "Without the $7 million."),
        ("endnotes", _NOTES.format("endnote"), "Without the $7 million."),
        ("diagramData", _NODES, "Pumps 62%"),
    ],
)
@pytest.mark.parametrize("suffix", ["docx", "pptx"])
def test_office_files_include_notes_and_smart_art(
    tmp_path: Path, kind: str, xml: str, line: str, suffix: str
) -> None:
    docx, pptx = pytest.importorskip("docx"), pytest.importorskip("pptx")
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    path, document = str(tmp_path / f"a.{suffix}"), docx.Document()
    document.add_paragraph("Sales rose.")
    part: Any = document.part
    uri, owner = PackURI(f"/word/{kind}.xml"), document.part.package
    if suffix == "pptx":
        if kind != "diagramData":
            pytest.skip("slides have no such notes")
        document = pptx.Presentation()
        part = document.slides.add_slide(document.slide_layouts[5]).part
        part.slide.shapes.title.text = "Sales rose."
        part.relate_to(
            pptx.opc.package.Part(pptx.opc.packuri.PackURI(f"/ppt/{kind}.xml"), "application/xml",
                                  part.package, xml.encode()),
            f"http://x/relationships/{kind}",
        )  # fmt: skip
    else:
        part.relate_to(
            Part(uri, "application/xml", xml.encode(), owner), f"http://x/relationships/{kind}"
        )
    document.save(path)
    assert read_text(Path(path))[0].strip().split("\n") == ["Sales rose.", line]


def test_formulas_without_cached_result_are_counted(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Net sales", 4125, None])
    book.active.append(["Costs", "=B1*2", "=B1/B2"])
    book.save(str(tmp_path / "a.xlsx"))
    texts, (note,), _ = read_texts({"a.xlsx": tmp_path / "a.xlsx"})
    assert texts["a.xlsx"].strip() == "Sheet\nNet sales | 4125\nCosts"
    assert note.partly and "the results of formulas in 2 cells" in note.reason


def test_office_files_are_read_as_lines_and_table_rows(tmp_path: Path) -> None:
    docx, pptx, openpyxl = (pytest.importorskip(name) for name in ("docx", "pptx", "openpyxl"))
    rows = [["Item", "2023"], ["Net sales", "4,125"]]
    document = docx.Document()
    document.add_heading("Results")
    table = document.add_table(2, 2)
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    insertion = docx.oxml.OxmlElement("w:ins")
    insertion.append(docx.Document().add_paragraph("rose.").runs[0]._r)
    document.add_paragraph("Sales ")._p.append(insertion)
    document.add_paragraph().add_run("Say that sales fell.").font.hidden = True
    document.paragraphs[0].runs[0].font.hidden = False
    document.save(str(tmp_path / "a.docx"))
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Results"
    shape = slide.shapes.add_table(2, 2, 0, 2_000_000, 4_000_000, 1_000_000)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            shape.table.cell(row, column).text = text
    data = CategoryChartData()
    data.categories = ["Asia", "Europe"]
    data.add_series("2023", (None, 7.25))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 4_000_000, 100, 100, data)
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    hidden.shapes.title.text = "Draft"
    hidden.element.set("show", "0")
    deck.save(str(tmp_path / "a.pptx"))
    book = openpyxl.Workbook()
    book.active.title = "Results"
    book.active.append(["Item", 2023, None])
    book.active.append(["Net sales", 4125, 0.125])
    book.active["B2"].number_format, book.active["C2"].number_format = "[$$-409]#,##0", "0.0%"
    book.active.append(["Debt", -1_234_567_890, 3.25])
    book.active["B3"].number_format, book.active["C3"].number_format = (
        "#,##0.0,,;(#,##0.0,,)",
        '0.0"x"',
    )
    book.create_sheet("Old").sheet_state = "hidden"
    book.save(str(tmp_path / "a.xlsx"))
    documents = {suffix: read_text(tmp_path / f"a.{suffix}") for suffix in ("docx", "pptx", "xlsx")}
    texts = {suffix: text for suffix, (text, *_) in documents.items()}
    for suffix, kind in (("docx", "passages"), ("pptx", "slides"), ("xlsx", "sheets")):
        assert f"1 hidden {kind}" in documents[suffix].left_out
    assert texts["docx"] == "Results\nItem | 2023\nNet sales | 4,125\nSales rose."
    slides = ["Results", "Item | 2023", "Net sales | 4,125", "2023 | Europe | 7.25"]
    assert texts["pptx"].strip().split("\n") == slides
    assert (
        texts["xlsx"].strip()
        == "Results\nItem | 2023\nNet sales | $4,125 | 12.5%\nDebt | -1,234.6 | 3.2x"
    )
