"""PDFs: what a good one gives, and what becomes of the others."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from arag_inspect._util.errors import InputError
from arag_inspect.datasets._parsing import pdf
from arag_inspect.datasets._parsing.page_cleanup import clean_pages
from arag_inspect.datasets._parsing.pdf import BrokenFileError, read_pdf
from tests.conftest import SHARED_DATA
from tests.pdfs import write_pdf

BALANCE = """ACME Corp. Annual Report
Balance Sheet of unit {unit}
(Millions)                              2022        2021
Cash and cash equivalents            $ 2,853     $ 3,053
Property, plant and equipment, net     8,738       8,866
Total assets                        $ 36,500    $ 37,987
{page}"""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = [BALANCE.format(page=n, unit="ABCDEF"[n - 1]) for n in range(1, 7)]
    return write_pdf(tmp_path_factory.mktemp("pdf") / "ACME_2022_10K.pdf", pages)


def test_rows_stay_whole_and_heads_go(good: Path) -> None:
    pages = read_pdf(good).pages
    assert len(pages) == 6
    assert pages[0].split("\n") == [
        "Balance Sheet of unit A",
        "(Millions) 2022 2021",
        "Cash and cash equivalents $ 2,853 $ 3,053",
        "Property, plant and equipment, net 8,738 8,866",
        "Total assets $ 36,500 $ 37,987",
    ]
    assert "Annual Report" in read_pdf(good, clean=False).pages[3]


def _empty(path: Path, good: Path) -> None:
    path.write_bytes(b"")


def _truncated(path: Path, good: Path) -> None:
    path.write_bytes(good.read_bytes()[:1500])


def _no_pdf(path: Path, good: Path) -> None:
    path.write_text("<html>404 not found</html>")


def _damaged(path: Path, good: Path) -> None:
    path.write_bytes(b"%PDF-1.4\n" + b"\0" * 2000 + b"%%EOF\n")


def _scan(path: Path, good: Path) -> None:
    write_pdf(path, ["", "", "7"])


def _stamped(path: Path, good: Path) -> None:
    write_pdf(path, ["Confidential - received by the SEC"] * 12)


def _encrypted(path: Path, good: Path) -> None:
    writer = PdfWriter(clone_from=PdfReader(good))
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(path)


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (_empty, "is empty (0 bytes)"),
        (_truncated, "is truncated: its end is missing"),
        (_no_pdf, "is not a PDF"),
        (_damaged, "is damaged or no PDF"),
        (_scan, "has no text layer (a scan?)"),
        (_stamped, "has no text but running heads (a scan with a stamp?)"),
        (_encrypted, "is encrypted and needs a password"),
        (lambda path, good: None, "cannot be read (No such file or directory)"),
    ],
)
def test_broken_file_is_named_with_its_cause(
    tmp_path: Path, good: Path, spoil: Callable[[Path, Path], None], cause: str
) -> None:
    path = tmp_path / "BAD_2020_10K.pdf"
    spoil(path, good)
    with pytest.raises(BrokenFileError, match=re.escape(f"{path}: {cause}")) as caught:
        read_pdf(path)
    assert isinstance(caught.value, InputError) and "\n" not in str(caught.value)


def test_parser_is_bounded_in_time_and_memory(good: Path) -> None:
    with pytest.raises(BrokenFileError, match=r"the parser did not end within 0.001 s"):
        read_pdf(good, seconds=0.001)
    with pytest.raises(BrokenFileError, match="the parser crashed on page 0|MB of memory"):
        read_pdf(good, megabytes=24)


def test_parser_that_dies_is_told_with_the_page(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import os, signal\nprint('\"a page\"', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    monkeypatch.setattr(pdf, "_WORKER", worker)
    with pytest.raises(BrokenFileError, match=r"the parser crashed on page 1 \(SIGSEGV\)"):
        read_pdf(good)


def test_paragraphs_hyphens_and_lists() -> None:
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


def test_printed_page_numbers_go_wherever_they_stand() -> None:
    pages = clean_pages(
        [f"text of its own {'x' * (n + 1)}\n{n + 11} ACME Report" for n in range(6)]
    )
    assert pages == [f"text of its own {'x' * (n + 1)}" for n in range(6)]
    tables = [f"Cash 2018 {n}\nrow {'y' * (n + 1)} 1 2" for n in range(6)]
    assert clean_pages(tables) == tables


def test_balance_sheet_of_a_real_filing() -> None:
    path = SHARED_DATA / "financebench" / "pdfs" / "BESTBUY_2024Q2_10Q.pdf"
    if not path.is_file():
        pytest.skip("no copy of FinanceBench beside the repository (../shared/data/financebench)")
    text = "\n".join(read_pdf(path).pages)
    assert re.search(r"^Total assets \$ [\d,]+ \$ [\d,]+ \$ [\d,]+$", text, re.MULTILINE)
    assert "Table of Contents\n" not in text and "\ufffe" not in text
