"""A small folder in FinanceBench's repository layout, with a fictional company's filings."""

import json
from collections.abc import Iterable
from pathlib import Path

from pypdf import PdfReader, PdfWriter

from tests.pdfs import write_pdf
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

SALES = {2021: 1_204, 2022: 1_377}
INCOME = {2021: 210, 2022: 188}
TOOLS = {2021: 700, 2022: 640}

DOCUMENTS = TABLES["documents"]


def write_source(root: Path, names: Iterable[str] = ()) -> Path:
    """Write the folder and return its root; if PDFs are named, write only those."""
    for folder in ("data", "pdfs"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    pdfs = root / "pdfs"
    write_pdf(pdfs / "Acme_2021_10K.pdf", annual_report(2021))  # differs in case from its doc_name
    write_pdf(pdfs / "ACME_2022_10K.pdf", annual_report(2022))
    write_pdf(pdfs / "ACME_2022_8K_dated-2022-05-20.pdf", CURRENT_REPORT)
    write_pdf(pdfs / "ACME_2022Q4_EARNINGS.pdf", RELEASE)
    write_pdf(pdfs / "SCAN_2022_10K.pdf", ["", "", ""])
    (pdfs / "EMPTY_2022_10K.pdf").write_bytes(b"")
    writer = PdfWriter(clone_from=PdfReader(pdfs / "ACME_2022_10K.pdf"))
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(pdfs / "LOCKED_2022_10K.pdf")
    for path in pdfs.iterdir():
        if names and path.stem not in names:
            path.unlink()
    documents = [
        {
            "doc_name": name,
            "company": name.split("_")[0].title(),
            "doc_type": form,
            "doc_period": year,
        }
        for name, form, year in DOCUMENTS
    ]
    _write(root / "data" / "financebench_document_information.jsonl", documents)
    _write(root / "data" / "financebench_open_source.jsonl", QUESTIONS)
    return root


QUESTIONS = TABLES["questions"]


def annual_report(year: int) -> list[str]:
    """Return the pages of a 10-K: cover, contents, items 1 to 9, signatures."""
    before = year - 1
    sales, income, tools = SALES[year], INCOME[year], TOOLS[year]
    sales_before = SALES.get(before, 1_100)
    income_before = INCOME.get(before, 200)
    tools_before = TOOLS.get(before, 650)
    bodies = [
        f"FORM 10-K\nAcme Corp.\nAnnual report for the fiscal year ended December 31, {year}",
        "PART I\nItem 1. Business 3\nItem 1A. Risk Factors 4\nItem 2. Properties 4\nPART II\n"
        "Item 7. Management's Discussion and Analysis 5\nItem 8. Financial Statements 6\n"
        "Item 9. Changes in and Disagreements with Accountants 6\nSIGNATURES 7",
        "PART I\nItem 1. Business\n" + _prose(("Acme makes tools and paints in Ohio and sells "
                                               "them to builders"), 4),
        "Item 1A. Risk Factors\nOur business is described in\n"
        "Item 7. Management's Discussion and Analysis of this report, and risks follow.\n"
        + _prose(f"Prices of steel rose in {year}, and a fire at our plant could stop production",
                 34)
        + "\nItem 2. Properties\nWe own a plant in Ohio.",
        "PART II\nItem 7. Management's Discussion and Analysis of Financial Condition and Results\n"
        f"(Millions) {year} {before}\nNet sales {sales:,} {sales_before:,}\n"
        f"Operating income {income} {income_before}\nTools segment\n"
        f"Net sales {tools} {tools_before}\n"
        + _prose((f"Acme had net sales of ${sales:,} million in {year}, as builders "
                  "bought more paint"), 34),
        f"Item 8. Financial Statements and Supplementary Data\nConsolidated Balance Sheet\n"
        f"At December 31\n(Millions) {year} {before}\nCash and cash equivalents $ 85 $ 90\n"
        "Inventories 210 205\nTotal assets $ 900 $ 880\n"
        "Item 9. Changes in and Disagreements with Accountants\nNone.",
        "SIGNATURES\nPursuant to the requirements of the Act, Acme has signed this report.",
    ]  # fmt: skip
    return [
        f"Acme Corp. {year} Annual Report\n{body}\n{number}"
        for number, body in enumerate(bodies, 1)
    ]


CURRENT_REPORT = TABLES["current report"]
RELEASE = TABLES["release"]


def _prose(sentence: str, times: int) -> str:
    return "\n".join(
        f"{sentence}, as we have said {number} times before." for number in range(2, times + 2)
    )


def _write(path: Path, records: Iterable[object]) -> None:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
