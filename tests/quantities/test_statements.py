"""Statements about figures as people write them, each with its source: supported or not."""

import pytest

from arag_inspect.quantities import extract_quantities, verify_claims
from arag_inspect.quantities.units import units

TABLE = (
    "Consolidated statements of income (in millions)\n"
    "Year ended December 31 2022 2021\n"
    "Revenue $ 1,234 $ 1,100\n"
    "Cost of revenue 700 650\n"
    "Net loss (45) (12)\n"
)
CELLS = (
    "| (In millions) | 2022 | 2021 |\n| --- | --- | --- |\n"
    "| Net loss | $ | (45 | ) | $ | (12 | ) |\n| Margin | 12 | % | 10 | % |\n"
)
SHARES = f"{TABLE}Diluted earnings per share 1.12 1.30\nSales volume (in thousands) 12 11\nPretax income 90 80\n"

TRUE = {
    "crore": ("Revenue was ₹1,200 crore.", "Revenue was ₹12 billion."),
    "lakh": ("The fee was ₹5 lakh.", "The fee was ₹500,000."),
    "oku": ("Revenue was ¥300 oku.", "Revenue was ¥30 billion."),
    "oku sign": ("Revenue was ¥300億.", "Revenue was ¥30 billion."),
    "Cr.": ("Profit was Rs 450 Cr.", "Profit was INR 4.5 billion."),
    "Mrd.": ("Sales were €1.2 Mrd.", "Sales were €1.2 billion."),
    "thousand": ("Fees were $750 thousand.", "Fees were $750k."),
    "glued code": ("Revenue was USD1.2bn.", "Revenue was $1.2 billion."),
    "glued behind": ("Revenue was 1.2bnUSD.", "Revenue was $1.2 billion."),
    "code behind": ("Revenue was 1.2 billion SEK.", "Revenue was SEK 1,200 million."),
    "C$": ("Revenue was C$4.2 million.", "Revenue was CAD 4.2m."),
    "R$": ("Revenue was R$4.2 million.", "Revenue was BRL 4.2 million."),
    "HK$": ("Revenue was HK$4.2 million.", "Revenue was 4.2 million HKD."),
    "RMB": ("Revenue was RMB 4.2 million.", "Revenue was CNY 4.2 million."),
    "krona": ("Revenue was 4.2 million Swedish kronor.", "Revenue was SEK 4.2 million."),
    "B": ("Revenue was $1.2 B.", "Revenue was $1.2 billion."),
    "bil": ("Revenue was $1.2 bil.", "Revenue was $1.2 billion."),
    "Mio.": ("Revenue was $4.2 Mio.", "Revenue was $4.2 million."),
    "mm": ("Revenue was $4.2 mm.", "Revenue was $4.2 million."),
    "tn": ("Assets were $1.3tn.", "Assets were $1,300 billion."),
    "footnote": ("Revenue was $4.2 billion¹.", "Revenue was $4.2 billion."),
    "dagger": ("Revenue was $4.2 billion†.", "Revenue was $4.2 billion."),
    "star": ("Revenue was $4.2* billion.", "Revenue was $4.2 billion."),
    "spaces": ("Sales were €1 234 567.", "Sales were €1,234,567."),
    "thin spaces": ("Sales were €1\u2009234\u2009567.", "Sales were €1,234,567."),
    "no-break spaces": ("We have 12\u00a0345 stores.", "We have 12,345 stores."),
    "apostrophes": ("Sales were CHF 1'234'567.", "Sales were CHF 1,234,567."),
    "curly apostrophes": ("Sales were CHF 1’234’567.", "Sales were CHF 1.234567 million."),
    "Indian": ("Sales were ₹1,23,456.", "Sales were ₹123,456."),
    "Indian crore": ("Sales were ₹12,34,56,789.", "Sales were ₹123,456,789."),
    "unknown code": ("Sales were XQZ 4 million.", "Sales were XQZ 4 million."),
    "points as separators": ("The profit was 1.234.567 Euro.", "The profit was €1,234,567."),
    "milliards": ("Profit was 3,5 milliards d'euros.", "Profit was €3.5 billion."),
    "lakh crore": ("The budget was Rs 2 lakh crore.", "The budget was ₹2 trillion."),
    "Tsd.": ("The fee was 850 Tsd. Euro.", "The fee was €850,000."),
    "pence": ("The dividend was 45p per share.", "The dividend was £0.45 per share."),
    "pence spelled": ("The dividend was 45 pence per share.", "The dividend was 45p per share."),
    "c": ("The dividend was 45c per share.", "The dividend was $0.45 per share."),
    "¢": ("The dividend was 45¢ per share.", "The dividend was 45 cents per share."),
    "table": (TABLE, "Revenue was $1,234 million in 2022."),
    "table, other scale": (TABLE, "Revenue was $1.1 billion in 2021."),
    "table, loss": (TABLE, "The net loss was $45 million in 2022."),
    "table, change": (TABLE, "Revenue rose 12.2% in 2022."),
    "table, newest year": (TABLE, "Cost of revenue was $700 million."),
    "table, other words": (SHARES, "Diluted EPS was $1.12 in 2022."),
    "table, unit after a row's own": (SHARES, "Pretax income was $90 million in 2022."),
    "table, decimal commas": (
        "in Mio. Euro\n2023 2022\nRevenue 1.210,5 1.180,2\n",
        "Revenue was €1,210.5 million in 2023.",
    ),
    "EDGAR cells": (CELLS, "The net loss was $45 million."),
    "EDGAR percent": (CELLS, "The margin was 12% in 2022."),
    "range": ("We see sales of $4-4.8 billion.", "Sales of $4 billion to $4.8 billion are seen."),
    "from, to": ("Churn went from 3.1% to 2.2%.", "Churn fell to 2.2% from 3.1%."),
    "change, from, to": ("Sales grew 10% from $50 million to $55 million.", "Sales were $55 million."),
    "up to": ("Costs were down $8 million to $71 million.", "Costs were $71 million."),
    "doubled": ("Orders doubled to $44 million.", "Orders rose 100%."),
    "halved": ("Debt halved to $150 million from $300 million.", "Debt fell 50%."),
    "halved, levels": ("Debt fell to $150 million from $300 million.", "Debt halved."),
    "twofold": ("Orders grew twofold.", "Orders doubled."),
    "quadrupled": ("Orders quadrupled.", "Orders rose fourfold."),
    "over": ("Cash stood at $391 million.", "Cash exceeded $350 million."),
    "nearly": ("Cash stood at $391 million.", "Cash was nearly $400 million."),
    "at least": ("We have 412 stores.", "It has at least 400 stores."),
    "points": ("Margins fell 70 basis points.", "Margins fell 0.7 percentage points."),
    "quarter": ("Fourth quarter 2020 revenue was $5 million.", "4Q 2020 revenue was $5 million."),
    "quarter, FY": ("Q4 FY20 revenue was $5 million.", "Fourth quarter 2020 revenue was $5m."),
}  # fmt: skip
FALSE = {
    "lakh": ("Revenue was ₹1,200 crore.", "Revenue was ₹1,200 lakh."),
    "unknown scale": ("Revenue was $1.2 zillion.", "Revenue was $1.2."),
    "unknown scales": ("Revenue was $1.2 zillion.", "Revenue was $1.2 gazillion."),
    "unknown letter": ("Revenue was $1.2q.", "Revenue was $1.2."),
    "glued code": ("Revenue was USD1.2bn.", "Revenue was $0.2 billion."),
    "other currency": ("Sales were SEK 4,200 million.", "Sales were NOK 4,200 million."),
    "other dollar": ("Sales were A$4.2 million.", "Sales were C$4.2 million."),
    "unknown code": ("Sales were XQZ 4 million.", "Sales were $4 million."),
    "unknown codes": ("Sales were XQZ 4 million.", "Sales were XQY 4 million."),
    "table's unit": (TABLE, "Revenue was $1,234."),
    "table's year": (TABLE, "Revenue was $1,100 million in 2022."),
    "table's newest year": (TABLE, "Revenue was $1,100 million."),
    "table's row": (TABLE, "Cost of revenue was $1,234 million in 2022."),
    "table's direction": (TABLE, "Revenue fell to $1,234 million in 2022."),
    "table's sign": (TABLE, "The company made a net profit of $45 million in 2022."),
    "pence": ("The dividend was 45p per share.", "The dividend was £45 per share."),
    "from, to": ("Churn went from 3.1% to 2.2%.", "Churn rose from 2.2% to 3.1%."),
    "change or level": ("Costs were down $8 million to $71 million.", "Costs were $8 million."),
    "level or change": ("Costs were $8 million.", "Costs were down by $8 million."),
    "tripling": ("Orders doubled to $44 million.", "Orders tripled to $44 million."),
    "halving": ("Debt halved.", "Debt fell 40%."),
    "exceeded": ("Cash stood at $391 million.", "Cash exceeded $400 million."),
    "under": ("Cash stood at $391 million.", "Cash was under $380 million."),
    "at least": ("We have 388 stores.", "It has at least 400 stores."),
    "exactly under": ("Liquidity was $1.84 billion.", "Liquidity was under $1.8 billion."),
    "other bound": ("Cash exceeded $390 million.", "Cash was under $390 million."),
    "compared with": ("The rate was 21%, compared with 24%.", "The rate went from 21% to 24%."),
    "widened": ("Spreads widened 30 bps.", "Spreads narrowed 30 bps."),
    "tightened": ("Spreads tightened by 30 bps.", "Spreads widened by 30 bps."),
    "direction": ("Margins were down 70 basis points.", "Margins were up 70 basis points."),
    "quarter": ("3Q 2020 revenue was $5 million.", "4Q 2020 revenue was $5 million."),
    "range": ("We see sales of $4-4.8 billion.", "We see sales of $4.8 billion."),
}  # fmt: skip


def verdicts(source: str, statement: str) -> set[str]:
    return {claim.verdict for claim in verify_claims(statement, [source])}


@pytest.mark.parametrize("kind", TRUE)
def test_a_true_statement_is_supported(kind: str) -> None:
    assert verdicts(*TRUE[kind]) == {"supported"}


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        ("£m", "£1,234 million"),
        ("(€bn)", "€1,234 billion"),
        ("£'000", "£1.234 million"),
        ("SEK m", "SEK 1,234 million"),
        ("TEUR", "EUR 1,234 thousand"),
        ("(in 000s)", "$1,234 thousand"),
    ],
)
@pytest.mark.parametrize(
    "layout",
    [
        "{}\n2023 2022\nRevenue {} {}\n",
        "| {} | 2023 | 2022 |\n| --- | --- | --- |\n| Revenue | {} | {} |\n",
    ],
)
def test_a_table_may_abbreviate_its_unit(head: str, unit: str, layout: str) -> None:
    table = layout.format(head, "1,234", "1,100")
    assert verdicts(table, f"Revenue was {unit} in 2023.") == {"supported"}
    assert verdicts(table, "Revenue was 1,234 in 2023.") != {"supported"}


@pytest.mark.parametrize("kind", FALSE)
def test_a_false_statement_is_not(kind: str) -> None:
    found = verdicts(*FALSE[kind])
    assert found and found != {"supported"}


@pytest.mark.parametrize(
    "name",
    ["COVID-19", "a 10-K", "B2B sales", "the 737 MAX", "ISO 9001", "Form 8-K", "IFRS 16", "a Boeing 787", "Section 404", "5G", "MP3", "Windows 11", "Web 2.0", "Tier 1", "F-35", "H1N1"],
)  # fmt: skip
def test_the_number_of_a_name_is_no_figure(name: str) -> None:
    assert extract_quantities(f"The effect of {name} was small.") == []


@pytest.mark.parametrize(
    "form",
    [
        "{} 1.2 billion",
        "{}1.2bn",
        "1.2 billion {}",
        "1.2bn{}",
        "1.2bn {}",
        "{} 1,200 million",
    ],
)
def test_every_code_is_read_before_behind_and_glued(form: str) -> None:
    for code in units().codes - {"gbx", "rmb"}:
        (figure,) = extract_quantities(f"Sales were {form.format(code.upper())} in all.")
        assert (figure.currency, figure.unit, figure.amount) == (code, "currency", 1.2e9), code
