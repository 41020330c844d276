"""Tests of reading PDFs, valid and faulty."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
)

from arag_inspect._util.errors import InputError
from arag_inspect.corpus.documents import isolated
from arag_inspect.corpus.documents.isolated import BrokenFileError
from arag_inspect.corpus.documents.page_cleanup import clean_pages, separator_between
from arag_inspect.corpus.documents.pdf import read_pdf
from tests.conftest import SHARED_DATA
from tests.pdfs import draw_over, write_pdf
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

BALANCE = TABLES["balance"]


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = [BALANCE.format(page=n, unit="ABCDEF"[n - 1]) for n in range(1, 7)]
    return write_pdf(tmp_path_factory.mktemp("pdf") / "ACME_2022_10K.pdf", pages)


def test_read_pdf_keeps_table_rows_and_drops_running_heads(valid: Path) -> None:
    pages = read_pdf(valid).pages
    assert len(pages) == 6
    assert pages[0].split("\n") == [
        "Balance Sheet of unit A",
        "(Millions) | 2022 | 2021",
        "Cash and cash equivalents | $2,853 | $3,053",
        "Property, plant and equipment, net | 8,738 | 8,866",
        "Total assets | $36,500 | $37,987",
    ]
    assert "Annual Report" in isolated.parse_isolated("pdf", valid)[3]


@pytest.mark.parametrize("matrix", ["1 0 0 1 0 0", "0 1 -1 0 792 0", "0 -1 1 0 0 792"])
def test_read_pdf_keeps_rows_of_rotated_table(tmp_path: Path, matrix: str) -> None:
    rows = ["(in millions) 2023 2022", "Revenue 412 388", "Cost of sales (250) (240)"]
    placed = [
        (x, 700 - 16 * number, 10, text)
        for number, row in enumerate(rows)
        for x, text in zip((60, 300, 400), row.rsplit(" ", 2), strict=True)
    ]
    (page,) = read_pdf(write_pdf(tmp_path / "t.pdf", [placed], matrix)).pages
    assert page.split("\n") == [" | ".join(row.rsplit(" ", 2)) for row in rows]


def test_pages_without_text_layer_are_counted_but_blank_pages_are_not(tmp_path: Path) -> None:
    text = "Net sales rose in the year to June, helped by pumps."
    path = write_pdf(tmp_path / "a.pdf", [text, "", "", ""])
    draw_over(path, [1, 2])
    document = read_pdf(path)
    assert document.pages[0] == text
    assert document.left_out == ("2 of 4 pages, which have no text layer (scans?)",)


@pytest.mark.parametrize("kind", ["/FreeText", "/Widget", "/Stamp"])
def test_read_pdf_includes_form_fields_and_annotations(tmp_path: Path, kind: str) -> None:
    path = write_pdf(tmp_path / "a.pdf", ["Total income of the year:"])
    writer = PdfWriter(clone_from=PdfReader(path))
    form = DecodedStreamObject()
    form.set_data(b"BT /F1 8 Tf 2 2 Td (12,345) Tj ET")
    box = ArrayObject(map(FloatObject, (0, 0, 60, 12)))
    form |= {
        NameObject("/Type"): NameObject("/XObject"),
        NameObject("/Subtype"): NameObject("/Form"),
        NameObject("/BBox"): box,
        NameObject("/Resources"): writer.pages[0]["/Resources"],
    }
    note = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject(kind),
            NameObject("/F"): NumberObject(4),
            NameObject("/Rect"): ArrayObject(map(FloatObject, (200, 700, 260, 712))),
            NameObject("/AP"): DictionaryObject({NameObject("/N"): writer._add_object(form)}),
        }
    )
    writer.pages[0][NameObject("/Annots")] = ArrayObject([writer._add_object(note)])
    writer.write(path)
    assert "12,345" in read_pdf(path).pages[0]


def _encrypted(path: Path, valid: Path) -> None:
    writer = PdfWriter(clone_from=PdfReader(valid))
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(path)


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda path, _: path.write_bytes(b""), "is empty (0 bytes)"),
        (lambda path, valid: path.write_bytes(valid.read_bytes()[:1500]),
         "is damaged, truncated or not a PDF"),
        (lambda path, _: path.write_text("<html>404 not found</html>"), "is not a PDF"),
        (lambda path, _: path.write_bytes(b"%PDF-1.4\n" + b"\0" * 2000 + b"%%EOF\n"),
         "is damaged, truncated or not a PDF"),
        (lambda path, _: write_pdf(path, ["", "", "7"]), "has no text layer (a scan?)"),
        (lambda path, _: write_pdf(path, ["Confidential - received by the SEC"] * 12),
         "has no text except running heads (a scan with a stamp?)"),
        (_encrypted, "is encrypted and needs a password"),
        (lambda path, valid: None, "cannot be read (No such file or directory)"),
    ],
)  # fmt: skip
def test_read_pdf_reports_broken_file_with_cause(
    tmp_path: Path, valid: Path, spoil: Callable[[Path, Path], object], cause: str
) -> None:
    path = tmp_path / "BAD_2020_10K.pdf"
    spoil(path, valid)
    with pytest.raises(BrokenFileError, match=re.escape(f"{path}: {cause}")) as caught:
        read_pdf(path)
    assert isinstance(caught.value, InputError) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("limit", "value", "cause"),
    [
        ("SECONDS", 0, "the parser did not finish within 0 s"),
        ("MEGABYTES", 24, "the parser crashed on page 0|MB of memory"),
    ],
)
def test_pdf_parser_is_limited_in_time_and_memory(
    valid: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, cause: str
) -> None:
    monkeypatch.setattr(isolated, limit, value)
    with pytest.raises(BrokenFileError, match=cause):
        read_pdf(valid)


def test_pdf_parser_crash_is_reported_with_page(
    valid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import os, signal\nprint('\"a page\"', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    monkeypatch.setattr(isolated, "_WORKER", worker)
    with pytest.raises(BrokenFileError, match=r"the parser crashed on page 1 \(exit status -11\)"):
        read_pdf(valid)


def test_clean_pages_joins_paragraphs_and_hyphens_but_keeps_lists() -> None:
    page = """Net sales in the year rose because of higher prices and because the com-
pany sold more of its products in markets where its year-on\ufffeyear growth
was strong before.
Selling Expenses:
The company spent more on advertising in 2022 than in the year before it, as
• one campaign
• another campaign
Total 45 % 43 %
Other 2 % 2 %"""
    assert clean_pages([page, "the company is here"])[0].split("\n") == [
        "Net sales in the year rose because of higher prices and because the company sold more "
        "of its products in markets where its year-on-year growth was strong before.",
        "Selling Expenses:",
        "The company spent more on advertising in 2022 than in the year before it, as",
        "• one campaign",
        "• another campaign",
        "Total 45 % 43 %",
        "Other 2 % 2 %",
    ]


FEET = (
    "Alder Pumps Annual Report 2023 {}", "Alder Pumps 2022/23 {}", "{} | 2023 Form 10-K",
    "Page {} of 40", "- {} -",
    "F-{}", "ACME {}", "Alder | Page {} | 2023",
)  # fmt: skip


@pytest.mark.parametrize("foot", FEET)
@pytest.mark.parametrize("place", ["top", "bottom", "alternating"])
def test_clean_pages_removes_page_number_lines(foot: str, place: str) -> None:
    """The line is removed on every page, and the sentence around it is rejoined."""
    words = ["the price of", "steel rose by", "$4 million in", "2023, which the", "Company and its"]
    words.append("board expected.")
    pages = []
    for number, words_of_page in enumerate(words):
        line = foot.format(number + 17)
        if place == "alternating" and "|" in foot and number % 2:
            line = " | ".join(reversed(line.split(" | ")))
        at_top = place == "top" or (place == "alternating" and number % 2)
        pages.append(f"{line}\n{words_of_page}" if at_top else f"{words_of_page}\n{line}")
    assert " ".join(clean_pages(pages)) == " ".join(words)


@pytest.mark.parametrize(("line", "kept"), TABLES["recurring lines"])
def test_clean_pages_removes_recurring_heads_but_keeps_table_lines(line: str, kept: int) -> None:
    pages = clean_pages(
        [f"{line}\nPumps sold in {town}." for town in ("Bath", "Cork", "Diss", "Ely")]
    )
    assert "\n".join(pages).split("\n").count(line) == kept


@pytest.mark.parametrize("edge", ["{}\nPumps sold in {}.", "Sold in {1}.\n{0}"])
def test_clean_pages_keeps_edge_numbers_that_are_not_page_numbers(edge: str) -> None:
    cells = ["212", "4125", "87", "3", "1250", "40"]
    texts = [edge.format(cell, f"town {'x' * len(cell)}{cell[0]}y") for cell in cells]
    assert clean_pages([f"{text}\n{n}" for n, text in enumerate(texts, 1)]) == texts
    years = [f"{2019 + n}\nPump{'s' * n}" for n in range(6)]
    assert clean_pages(years) == years
    headings = [f"Note {12 + n // 2}\nPump{'s' * n}" for n in range(6)]
    assert clean_pages(headings) == headings


LEFT = [
    "Net sales in the first", "half rose because the", "company sold more of",
    "its pumps in Europe", "and in Asia.",
]  # fmt: skip
RIGHT = [
    "The board expects that", "sales will go on to", "rise in the next year",
    "and that margins will",
    "remain near 12 percent.",
]  # fmt: skip
TABLE = [
    ["Item", "2023", "2022"],
    ["Net sales", "4,125", "3,900"],
    ["Gain", "12", "-"],
    ["Loss", "(7)", "-"],
    ["Costs", "(20)", "-"],
]


def _grid(columns: Sequence[Sequence[str]], by_row: bool) -> list[tuple[float, float, float, str]]:
    cells: list[tuple[float, float, float, str]] = [
        (72 + 230 * x, 700 - 14 * y, 10, text)
        for x, column in enumerate(columns)
        for y, text in enumerate(column)
    ]
    return sorted(cells, key=lambda cell: -cell[1]) if by_row else cells


@pytest.mark.parametrize("by_row", [True, False])
@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ([LEFT, RIGHT], " ".join(LEFT) + "\n" + " ".join(RIGHT)),
        ([*zip(*TABLE, strict=True)], "\n".join(" | ".join(row) for row in TABLE)),
        ([["Name", "Ada Holt", "Ben Ash"], ["Board", "Chair", "Member"]], None),
    ],
    ids=["prose", "figures", "words"],
)
def test_read_pdf_orders_columns_and_table_rows(
    tmp_path: Path, columns: Sequence[Sequence[str]], text: str | None, by_row: bool
) -> None:
    page = read_pdf(write_pdf(tmp_path / "a.pdf", [_grid(columns, by_row)])).pages[0]
    if text is None:  # short words side by side may be a table or boxes: left as drawn
        columns = list(zip(*columns, strict=True)) if by_row else columns
        text = ("\n" if not by_row else " ").join(columns[0])
        assert page.startswith(text)
    else:
        assert page == text


def test_read_pdf_reads_columns_below_full_width_title(tmp_path: Path) -> None:
    title = (72, 730, 14, "Letter to the shareholders of Alder Pumps")
    pages = [[title, *_grid([LEFT, RIGHT], by_row=True), (300, 40, 8, str(n))] for n in (7, 8)]
    for page in read_pdf(write_pdf(tmp_path / "a.pdf", pages)).pages:
        assert page.split("\n") == [title[3], " ".join(LEFT), " ".join(RIGHT)]


BORDERED = [
    ["Ratio", "Q3 2025", "Q2 2025"],
    ["Tier 1", "12.6%", "12.3%"],
    ["Total capital", "14.3%", "14.1%"],
    ["Leverage", "9.2%", "9.1%"],
]
BORDERS = {
    "bars": "{x} {y} 0.7 14 re f",
    "lines": "{x} {y} m {x} {top} l S",
    "boxes": "{x} {y} {width} 14 re S",
}


@pytest.mark.parametrize("border", BORDERS.values(), ids=BORDERS)
def test_read_pdf_ends_cells_at_borders_that_nearly_touch_their_text(
    tmp_path: Path, border: str
) -> None:
    widths = {72: 82, 154: 46, 200: 46}  # 10-point Courier is 6 wide
    places = [(x, 700 - 14 * row) for row in range(len(BORDERED)) for x in (*widths, 246)]
    borders = [
        border.format(x=x, y=y, top=y + 14, width=widths.get(x, 46))
        for x, y in places
        if x in widths or "{width}" not in border
    ]
    texts = [
        (x + 2, 704 - 14 * row, 10, text)
        for row, cells in enumerate(BORDERED)
        for x, text in zip(widths, cells, strict=True)
    ]
    path = write_pdf(tmp_path / "a.pdf", [texts], drawing="\n".join(borders))
    assert read_pdf(path).pages[0].split("\n") == [" | ".join(cells) for cells in BORDERED]


@pytest.mark.parametrize(
    "cells",
    ["1.234,5 1.100,2", "−12,3 −4,5", "+1,2% -3.4%", "(45,6) n/m", "1’234 n.m.", "12- 45-",
     "₹1,23,456 ₹1,12,345"]
)  # fmt: skip
def test_clean_pages_keeps_rows_with_foreign_number_formats_apart(cells: str) -> None:
    labels = (
        "Depreciation and impairment of other intangible assets",
        "Share of the result of companies that are not consolidated",
    )
    page = "\n".join(f"{label} {cells}" for label in labels * 2)
    assert clean_pages([page]) == [page]


@pytest.mark.parametrize(("before", "raised", "after", "text"), TABLES["marks"])
def test_read_pdf_drops_footnote_marks_and_keeps_exponents(
    tmp_path: Path, before: str, raised: str, after: str, text: str
) -> None:
    middle = 72 + 7.2 * len(before)  # 12-point Courier is 7.2 wide
    line = [(72, 700, 12, before), (middle + 4.2 * len(raised), 700, 12, after)]
    page = [line[0], (middle, 705, 7, raised), line[1]] if raised else line
    assert read_pdf(write_pdf(tmp_path / "a.pdf", [page])).pages[0] == text


@pytest.mark.parametrize("beside", [158, 146])
def test_read_pdf_keeps_small_text_beside_large_figure(tmp_path: Path, beside: float) -> None:
    slide = [(72, 700, 40, "212"), (beside, 712, 12, "40 countries")]
    assert "40 countries" in read_pdf(write_pdf(tmp_path / "a.pdf", [slide])).pages[0]


def test_read_pdf_joins_large_figure_with_caption_below(tmp_path: Path) -> None:
    slide = [(72, 700, 40, "212"), (72, 670, 12, "customers in 40 countries")]
    text = read_pdf(write_pdf(tmp_path / "a.pdf", [slide, slide])).pages[0]
    assert text == "212 customers in 40 countries"


def test_clean_pages_loses_no_figure_of_labelled_real_pages() -> None:
    """On 100 seeded random pages, no figure is lost and at most one running head remains."""
    folder = SHARED_DATA / "financebench" / "pdfs"
    if not folder.is_dir():
        pytest.skip("no copy of FinanceBench beside the repository")
    labels = json.loads(Path(__file__).with_name("page_heads.json").read_text())
    left: list[tuple[str, str]] = []
    lost: list[str] = []
    for name in ("BESTBUY_2024Q2_10Q", "MICROSOFT_2016_10K"):
        path = folder / f"{name}.pdf"
        drawn, cleaned = isolated.parse_isolated("pdf", path), read_pdf(path).pages
        for number, heads in labels[name].items():
            lines = [
                " ".join(line.split()) for line in drawn[int(number)].split("\n") if line.strip()
            ]
            text = cleaned[int(number)]
            left += [(number, lines[at]) for at in heads if lines[at] in text.split("\n")]
            kept = [
                line for at, line in enumerate(lines) if {at, at - len(lines)}.isdisjoint(heads)
            ]
            lost += (
                Counter(re.findall(r"\d+", " ".join(kept))) - Counter(re.findall(r"\d+", text))
            ).keys()
    assert len(left) <= 1 and not lost


def test_read_pdf_keeps_balance_sheet_row_of_real_filing() -> None:
    path = SHARED_DATA / "financebench" / "pdfs" / "BESTBUY_2024Q2_10Q.pdf"
    if not path.is_file():
        pytest.skip("no copy of FinanceBench beside the repository")
    text = "\n".join(read_pdf(path).pages)
    assert re.search(r"^Total assets \| \$[\d,]+ \| \$[\d,]+ \| \$[\d,]+$", text, re.MULTILINE)
    assert "Table of Contents\n" not in text and "\ufffe" not in text


OPEN = "Revenue of the valves segment rose in all regions of the year and amounted to"


@pytest.mark.parametrize(("note", "following", "moved"), TABLES["footnotes"])
def test_footnote_is_moved_before_sentence_continuing_on_next_page(
    note: str, following: str, moved: bool
) -> None:
    first, second = clean_pages([f"Segments\n{OPEN}\n{note}", following])
    lines = first.split("\n")
    assert (lines == ["Segments", note, OPEN] and separator_between(OPEN, second) == " ") == moved
