"""Tests of splitting filings into sections by their headings."""

from pathlib import Path

import pytest

from arag_inspect.benchmarks._shared.filing_items import FilingLine
from arag_inspect.benchmarks._shared.filing_sections import FilingKind, find_sections
from arag_inspect.benchmarks.financebench.filings import Filing, filing_label, make_document
from arag_inspect.corpus.documents.page_cleanup import clean_pages
from arag_inspect.corpus.documents.pdf import read_pdf
from tests.benchmarks.financebench.source import CURRENT_REPORT, RELEASE, annual_report
from tests.conftest import SHARED_DATA
from tests.tables import tables_beside

TABLES = tables_beside(__file__)


def titles(pages: list[str], kind: FilingKind) -> list[tuple[str, int]]:
    """Return each section's title with its first page."""
    lines = [FilingLine(page, line) for page, text in enumerate(pages) for line in text.split("\n")]
    return [(heading.title, lines[heading.line].page) for heading in find_sections(lines, kind)]


def test_annual_report_items_are_distinguished_from_contents_and_mentions() -> None:
    assert titles(annual_report(2022), "10K") == [
        ("Cover and Contents", 0),
        ("Business", 2),
        ("Risk Factors", 3),
        ("Properties", 3),
        ("Management's Discussion and Analysis", 4),
        ("Financial Statements", 5),
        ("Disagreements with Accountants", 5),
        ("Signatures and Exhibits", 6),
    ]


def headings(page: str, kind: FilingKind = "10K") -> list[str]:
    return [title for title, _ in titles([page], kind)]


MDA = "Management's Discussion and Analysis"
PROSE = "Revenue rose because of higher rates and more loans in the year. " * 20


@pytest.mark.parametrize("form", TABLES["layouts"])
def test_item_headings_are_found_in_other_layouts(form: str) -> None:
    items = [
        ("1", "Business"),
        ("1A", "Risk Factors"),
        ("7", "Management's Discussion and Analysis"),
        ("14", "Exhibits, Financial Statement Schedules, and Reports on Form 8-K"),
    ]
    contents = "\n".join(
        f"{form.format(number, title)} {n}" for n, (number, title) in enumerate(items)
    )
    page = "\n".join(f"{form.format(number, title)}\n{PROSE}" for number, title in items)
    assert titles([f"A cover\n{contents}", page], "10K") == [
        ("Cover and Contents", 0),
        ("Business", 1),
        ("Risk Factors", 1),
        ("Management's Discussion and Analysis", 1),
        ("Exhibits and Schedules", 1),
    ]


def test_item_listed_only_in_contents_is_not_a_section() -> None:
    items = [
        ("1", "Business"),
        ("1A", "Risk Factors"),
        ("2", "Properties"),
        ("7", MDA),
        ("8", "Financial Statements"),
    ]
    contents = "\n".join(f"Item {number}. {title} {n}" for n, (number, title) in enumerate(items))
    page = "\n".join(f"Item {number}. {title}\n{PROSE}" for number, title in items[3:])
    assert titles([f"A cover\n{contents}", page], "10K") == [
        ("Cover and Contents", 0),
        (MDA, 1),
        ("Financial Statements", 1),
    ]


@pytest.mark.parametrize(
    ("headings", "found"),
    TABLES["forms"],
    ids=["20-F", "20-F lettered", "40-F", "10-K/A"],
)
def test_items_of_other_filing_forms_are_found(headings: list[str], found: list[str]) -> None:
    page = "\n".join(f"{heading}\n{PROSE}" for heading in headings)
    assert [title for title, _ in titles([page], "10K")] == found


def test_items_with_same_number_are_distinguished_by_title() -> None:
    page = (
        "PART I\nItem 1. Financial Statements\nBalance\n"
        "Item 2. Management’s Discussion and Analysis\n"
        "We grew.\nPART II\nItem 1. Legal Proceedings\nNone.\nItem 1A. Risk Factors\nNone new.\n"
        "Item 6. Exhibits\nNone."
    )
    assert headings(page, "10Q") == [
        "Cover and Contents", "Financial Statements", MDA, "Legal Proceedings", "Risk Factors",
        "Exhibits",
    ]  # fmt: skip


def test_headings_are_found_with_title_on_next_line_or_without_number() -> None:
    below = (
        "Item 1.\nBusiness\nWe make tools.\nITEM 1A —\nRISK FACTORS\nFire.\nItem 2.\n"
        "Properties\nA plant."
    )
    assert headings(below) == ["Business", "Risk Factors", "Properties"]
    bare = "Overview\nRISK FACTORS\nFire.\nManagement’s Discussion and Analysis\nWe grew."
    assert headings(bare) == ["Cover and Contents", "Risk Factors", MDA]


def test_combined_items_and_letter_spaced_headings_are_found() -> None:
    page = (
        "Items 1 and 2. Business and Properties\nWe drill.\nI TEM 1A. R ISK F ACTORS\nFire.\n"
        "Items 7 and 7A. Management's Discussion and Analysis\nWe grew."
    )
    assert headings(page) == ["Business", "Risk Factors", MDA]


def test_items_that_refer_to_later_pages_get_sections_there() -> None:
    text = "Revenue rose because of higher rates and more loans. " * 60
    front = (
        f"Item 1. Business\n{text}\nItem 1A. Risk Factors\n{text}\n"
        "Item 7. Management’s discussion and analysis\nIt appears on pages 3-4.\n"
        "Item 8. Financial statements\nThey appear on pages 5-6.\n"
        "Item 9A. Controls and procedures\nNone.\n"
    )
    head = "MANAGEMENT’S DISCUSSION AND ANALYSIS"
    pages = [
        front,
        "Five-year summary\nRevenue 5 4 3 2 1",
        *(f"{head}\n{n}: {text}" for n in range(6)),
        f"Report of Independent Registered Public Accounting Firm\n{text}",
        *("Notes to the statements" for _ in range(6)),
    ]
    assert titles(clean_pages(pages), "10K") == [
        ("Business", 0),
        ("Risk Factors", 0),
        ("Management's Discussion and Analysis", 0),
        ("Financial Statements", 0),
        ("Controls and Procedures", 0),
        ("Management's Discussion and Analysis", 2),
        ("Financial Statements", 8),
    ]


def test_running_item_heading_starts_one_section_at_first_page() -> None:
    pages = ["A cover", *([f"ITEM 1A. RISK FACTORS\nFire {n}." for n in "abcdef"])]
    pages += [f"ITEM 7. MANAGEMENT'S DISCUSSION AND ANALYSIS\nWe grew {n}." for n in "abcdef"]
    assert titles(clean_pages(pages), "10K") == [
        ("Cover and Contents", 0),
        ("Risk Factors", 1),
        ("Management's Discussion and Analysis", 7),
    ]


def test_sections_of_current_report_and_earnings_release_are_found() -> None:
    assert [title for title, _ in titles(CURRENT_REPORT, "8K")] == [
        "Cover and Contents",
        "Submission of Matters to a Vote of Security Holders",
        "Financial Statements and Exhibits",
        "Signatures and Exhibits",
    ]
    release = [title for title, _ in titles(RELEASE, "EARNINGS")]
    assert release == ["Results", "Outlook", "Conference Call"]


@pytest.mark.parametrize("kind", ["10K", "10Q", "8K", "EARNINGS"])
def test_document_without_headings_is_one_section(kind: FilingKind) -> None:
    filing = Filing("X_2022_10K", "X", kind, 2022, "10K_2022", Path("x.pdf"))
    (section,) = make_document(filing, ["plain text without parts.", "more of it."]).sections
    assert (section.title, section.prefix) == ("", "[COMPANY: X | FILING: 10K_2022]")
    assert section.text == "plain text without parts.\nmore of it."
    assert [section.page_at(offset) for offset in (0, 24, 26, 36)] == [0, 0, 1, 1]


def test_paragraph_continues_across_page_break() -> None:
    filing = Filing("X_2022_10K", "X", "10K", 2022, "10K_2022", Path("x.pdf"))
    pages = (
        "It grew in all of its\nmarkets and",
        "regions.\nBalance Sheet\n(Millions) 2022 2021\nCash 5 6\nDebt 7 8\nIt ends.",
    )
    (section,) = make_document(filing, pages).sections
    assert "markets and regions." in section.text


@pytest.mark.parametrize(("name", "label"), TABLES["labels"])
def test_filing_label_has_form_and_period_from_file_name(name: str, label: str) -> None:
    assert filing_label(name, 2020) == label


def test_sections_of_real_quarterly_report_start_on_right_pages() -> None:
    path = SHARED_DATA / "financebench" / "pdfs" / "BESTBUY_2024Q2_10Q.pdf"
    if not path.is_file():
        pytest.skip("no copy of FinanceBench beside the repository")
    pages = dict(titles(read_pdf(path).pages, "10Q"))
    assert pages["Management's Discussion and Analysis"] == 13
    assert pages["Legal Proceedings"] == 23 and "Risk Factors" not in pages  # it has none


INDEXES = TABLES["indexes"]
BODY = [
    f"Our business\n{PROSE}", PROSE, f"Risk Factors\n{PROSE}", PROSE,
    f"The year in brief\nManagement’s Discussion and Analysis\n{PROSE}",
    f"Quantitative and Qualitative Disclosures about Market Risk\n{PROSE}",
    f"Consolidated Financial Statements\n{PROSE}", f"Legal Proceedings\n{PROSE}",
]  # fmt: skip
"""Printed pages 3 to 10."""

BY_PAGE = [
    ("Business", 0), ("Risk Factors", 2), (MDA, 4), ("Market Risk", 5), ("Financial Statements", 6),
    ("Legal Proceedings", 7),
]  # fmt: skip


@pytest.mark.parametrize("index", INDEXES.values(), ids=list(INDEXES))
def test_sections_follow_page_index_at_front_or_back(index: str) -> None:
    front = [(title, page + 3) for title, page in BY_PAGE]
    pages = ["ACME CORPORATION\nFORM 10-K", index, "A letter", *BODY]
    assert titles(pages, "10K") == [("Cover and Contents", 0), *front]
    behind = ["ACME CORPORATION", *BODY, "Five years", index, "Signatures"]
    assert titles(behind, "10K") == [
        ("Cover and Contents", 0),
        *((title, page + 1) for title, page in BY_PAGE),
        ("Other Pages", 9),
    ]


def test_nested_indexed_section_starts_at_title_and_outer_section_resumes() -> None:
    pages = [INDEXES["ranges"].replace("7-9", "7-10"), "A letter", *BODY]
    filing = Filing("X_2022_10K", "X", "10K", 2022, "10K_2022", Path("x.pdf"))
    sections = make_document(filing, pages).sections
    risk = next(section for section in sections if section.title == "Market Risk")
    assert [start.page for start in risk.pages] == [7]
    discussion = next(section for section in sections if section.title == MDA)
    assert discussion.text.startswith("Management’s Discussion and Analysis")


@pytest.mark.parametrize(
    "body", [["no title"] * 8, [PROSE, *BODY[3:4] * 7]], ids=["no titles", "prose only"]
)
def test_index_with_unmatched_pages_gives_no_sections(body: list[str]) -> None:
    assert titles([INDEXES["ranges"], *body], "10K") == []


@pytest.mark.parametrize("heading", TABLES["first items"])
def test_first_item_of_quarterly_report_is_found_for_every_title_form(heading: str) -> None:
    page = (
        f"{heading}\nCash 5 6\nItem 2. Management’s Discussion and Analysis\n{PROSE}\n"
        "PART II. OTHER INFORMATION Item 1. Legal Proceedings\n"
        "Note 5 to the financial statements has them.\n"
        f"Item 1A. Risk Factors\n{PROSE}\nItem 6. Exhibits\nNone."
    )
    assert headings(f"A cover\n{page}", "10Q")[1:4] == [
        "Financial Statements",
        MDA,
        "Legal Proceedings",
    ]
