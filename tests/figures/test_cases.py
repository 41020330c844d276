"""Regression tests of small inputs once misread: figures, gold answers and verdicts.

Sources, statements and replies are made up. Each kind has at least three rows.
"""

from collections.abc import Callable

import pytest

from arag_inspect.figures import extract_quantities, numerical_precision, verify_claims
from arag_inspect.figures.answers.gold import read_gold
from arag_inspect.figures.answers.match import match_answer
from arag_inspect.figures.numbers.currencies import units
from arag_inspect.judge.parsing import integer_form
from arag_inspect.text.replies import ReplyParseError

TAG = "3f9a1c"
TABLE = (
    "Consolidated statements of income (in millions)\n"
    "Year ended December 31 | 2022 | 2021\n"
    "Revenue | $1,234 | $1,100\n"
    "Cost of revenue | 700 | 650\n"
    "Net loss | (45) | (12)\n"
)
CELLS = (
    "| (In millions) | 2022 | 2021 |\n| --- | --- | --- |\n"
    "| Net loss | $ | (45 | ) | $ | (12 | ) |\n| Margin | 12 | % | 10 | % |\n"
)
SHARES = f"{TABLE}Diluted earnings per share | 1.12 | 1.30\nSales volume (in thousands) | 12 | 11\nPretax income | 90 | 80\n"
REGIONS = "(in thousands, except per share data)\nYear ended December 31, | 2022 | 2021\nNorth America\nRevenue | 1,000 | 900\nOperating income | 100 | 90\nEurope\nRevenue | 500 | 400\nOperating income | 50 | 40\n"
BLOCKS = "(in millions)\nYear ended | 2022 | 2021\nNorth America\nRevenue | 1,000 | 900\nYear ended | 2022 | 2021\nEurope\nRevenue | 500 | 400\n"
SERVICES = f"{TABLE}Revenue from services | 900 | 800\n\n"
MONTHS = "(in millions)\n| | Three months ended June 30 | | Six months ended June 30 | |\n| | 2022 | 2021 | 2022 | 2021 |\n| Revenue | 500 | 400 | 1,000 | 900 |\n"

PRINTED = "Income statement\n{} | 2023 | 2022\n{}\n"
"""Header and rows of a table."""

SUPPORTED = [
    ("Sales were EUR 1 234,5 million.", "Sales were €1,234.5 million."),
    ("Sales were EUR 1\u202f234,5 million.", "Sales were €1,234.5 million."),
    ("Sales were 1’234,5 Mio. CHF.", "Sales were CHF 1,234.5 million."),
    ("Custos de R$ 1,2 bilhões.", "Custos de R$1.2 billion."),
    ("Der Umsatz betrug 1.234 Mio. Euro.", "Der Umsatz betrug €1,234 million."),
    ("Sales were ＄１，２３４ million.", "Sales were $1,234 million."),
    ("The margin was １２．５％.", "The margin was 12.5%."),
    ("Sales were $1.2\u2011billion.", "Sales were $1.2 billion."),
    ("Cash flow was －$5 million.", "Cash flow was -$5 million."),
    ("Cash flow was \u2011€5 million.", "Cash flow was -€5 million."),
    ("Leverage was 3.2×.", "Leverage was 3.2x."),
    ("Sales were ¥12.3 hundred million.", "Sales were ¥1.23 billion."),
    ("Sales were EURm 1,234.", "Sales were €1,234 million."),
    ("Sales were USD mn 1,234.", "Sales were $1,234 million."),
    ("Sales were ₹ crore 45.", "Sales were ₹450 million."),
    ("Sales were Rs45 crore.", "Sales were ₹450 million."),
    ("Sales were RM45 million.", "Sales were MYR 45 million."),
    ("Sales were R45 million.", "Sales were ZAR 45 million."),
    ("Sales were Ps.45 million.", "Sales were 45 million pesos."),
    (PRINTED.format("(Yen in hundred millions)", "Net sales | 1,234 | 1,100"), "Net sales were ¥123.4 billion in 2023."),
    (PRINTED.format("(100 million yen)", "Net sales | 1,234 | 1,100"), "Net sales were ¥123.4 billion in 2023."),
    (PRINTED.format("EURm", "Revenue | 1,234 | 1,100"), "Revenue was €1,234 million in 2023."),
    (PRINTED.format("RMB'000", "Revenue | 1,234 | 1,100"), "Revenue was CNY 1.234 million in 2023."),
    (PRINTED.format("Mio. CHF", "Revenue | 1'234 | 1'100"), "Revenue was CHF 1,234 million in 2023."),
    (PRINTED.format("(in millions of Canadian dollars)", "Revenue | $1,234 | $1,100"), "Revenue was C$1,234 million in 2023."),
    (PRINTED.format("NOK million", "Revenue | 1 234,5 | 1 100,2"), "Revenue was NOK 1,234.5 million in 2023."),
    (PRINTED.format("NOK million", "Revenue | 1 234 | 1 100"), "Revenue was NOK 1,234 million in 2023."),
    (PRINTED.format("€m | Note", "Revenue | 5 | 1,234 | 1,100"), "Revenue was €1,234 million in 2023."),
    (PRINTED.format("€m", "Operating income | −12 | –45"), "Operating income was -€12 million in 2023."),
    (PRINTED.format("€m", "Operating income | 12- | 45"), "Operating income was -€12 million in 2023."),
    (PRINTED.format("€m", "Costs | n.m. | 7\nRevenue2 | 45 | 40"), "Revenue was €45 million in 2023."),
    ("€m | 31 December 2023 | 31.12.2022\nCash | 12 | 13\n", "Cash was €13 million in 2022."),
    ("(in millions) | 2022 | 2021\nIssued (1,489 million shares) | $15 | $16\n", "Issued shares were $15 million in 2022."),
    ("€m | FY23 | FY22\nRevenue | 12 | 13\n", "Revenue was €13 million in 2022."),
    ("€m | Q1 2023 | Q1 2022\nRevenue | 12 | 13\n", "Revenue was €13 million in Q1 2022."),
    ("Revenue was ₹1,200 crore.", "Revenue was ₹12 billion."),
    ("The fee was ₹5 lakh.", "The fee was ₹500,000."),
    ("Revenue was ¥300 oku.", "Revenue was ¥30 billion."),
    ("Revenue was ¥300億.", "Revenue was ¥30 billion."),
    ("Profit was Rs 450 Cr.", "Profit was INR 4.5 billion."),
    ("Sales were €1.2 Mrd.", "Sales were €1.2 billion."),
    ("Fees were $750 thousand.", "Fees were $750k."),
    ("Revenue was USD1.2bn.", "Revenue was $1.2 billion."),
    ("Revenue was 1.2bnUSD.", "Revenue was $1.2 billion."),
    ("Revenue was 1.2 billion SEK.", "Revenue was SEK 1,200 million."),
    ("Revenue was C$4.2 million.", "Revenue was CAD 4.2m."),
    ("Revenue was R$4.2 million.", "Revenue was BRL 4.2 million."),
    ("Revenue was HK$4.2 million.", "Revenue was 4.2 million HKD."),
    ("Revenue was RMB 4.2 million.", "Revenue was CNY 4.2 million."),
    ("Revenue was 4.2 million Swedish kronor.", "Revenue was SEK 4.2 million."),
    ("Revenue was $1.2 B.", "Revenue was $1.2 billion."),
    ("Revenue was $1.2 bil.", "Revenue was $1.2 billion."),
    ("Revenue was $4.2 Mio.", "Revenue was $4.2 million."),
    ("Revenue was $4.2 mm.", "Revenue was $4.2 million."),
    ("Assets were $1.3tn.", "Assets were $1,300 billion."),
    ("Revenue was $4.2 billion¹.", "Revenue was $4.2 billion."),
    ("Revenue was $4.2 billion†.", "Revenue was $4.2 billion."),
    ("Revenue was $4.2* billion.", "Revenue was $4.2 billion."),
    ("Sales were €1 234 567.", "Sales were €1,234,567."),
    ("Sales were \u20ac1\u2009234\u2009567.", "Sales were €1,234,567."),
    ("We have 12\xa0345 stores.", "We have 12,345 stores."),
    ("Sales were CHF 1'234'567.", "Sales were CHF 1,234,567."),
    ("Sales were CHF 1’234’567.", "Sales were CHF 1.234567 million."),
    ("Sales were ₹1,23,456.", "Sales were ₹123,456."),
    ("Sales were ₹12,34,56,789.", "Sales were ₹123,456,789."),
    ("Sales were XQZ 4 million.", "Sales were XQZ 4 million."),
    ("The profit was 1.234.567 Euro.", "The profit was €1,234,567."),
    ("Profit was 3,5 milliards d'euros.", "Profit was €3.5 billion."),
    ("The budget was Rs 2 lakh crore.", "The budget was ₹2 trillion."),
    ("The fee was 850 Tsd. Euro.", "The fee was €850,000."),
    ("The dividend was 45p per share.", "The dividend was £0.45 per share."),
    ("The dividend was 45 pence per share.", "The dividend was 45p per share."),
    ("The dividend was 45c per share.", "The dividend was $0.45 per share."),
    ("The dividend was 45¢ per share.", "The dividend was 45 cents per share."),
    (TABLE, "Revenue was $1,234 million in 2022."),
    (TABLE, "Revenue was $1.1 billion in 2021."),
    (TABLE, "The net loss was $45 million in 2022."),
    (TABLE, "Revenue rose 12.2% in 2022."),
    (TABLE, "Cost of revenue was $700 million."),
    (SHARES, "Diluted EPS was $1.12 in 2022."),
    (SHARES, "Pretax income was $90 million in 2022."),
    ("in Mio. Euro | 2023 | 2022\nRevenue | 1.210,5 | 1.180,2\n", "Revenue was €1,210.5 million in 2023."),
    (CELLS, "The net loss was $45 million."),
    (CELLS, "The margin was 12% in 2022."),
    ("We see sales of $4-4.8 billion.", "Sales of $4 billion to $4.8 billion are seen."),
    ("Churn went from 3.1% to 2.2%.", "Churn fell to 2.2% from 3.1%."),
    ("Sales grew 10% from $50 million to $55 million.", "Sales were $55 million."),
    ("Costs were down $8 million to $71 million.", "Costs were $71 million."),
    ("Orders doubled to $44 million.", "Orders rose 100%."),
    ("Debt halved to $150 million from $300 million.", "Debt fell 50%."),
    ("Debt fell to $150 million from $300 million.", "Debt halved."),
    ("Orders grew twofold.", "Orders doubled."),
    ("Orders quadrupled.", "Orders rose fourfold."),
    ("Cash stood at $391 million.", "Cash exceeded $350 million."),
    ("Organic growth of minus 3.2%.", "Organic sales fell 3.2%."),
    ("Sales growth was (3.2)%.", "Sales declined 3.2%."),
    ("Revenue fell 3.2%.", "Revenue growth was -3.2%."),
    ("Cash stood at $391 million.", "Cash was nearly $400 million."),
    ("The margin was 19.4%.", "The margin was almost 20%."),
    ("Cash was $412 million.", "Cash was just over $400 million."),
    ("Cash was $460 million.", "Cash was over $400 million."),
    ("We have 412 stores.", "It has at least 400 stores."),
    ("Margins fell 70 basis points.", "Margins fell 0.7 percentage points."),
    ("Fourth quarter 2020 revenue was $5 million.", "4Q 2020 revenue was $5 million."),
    ("Q4 FY20 revenue was $5 million.", "Fourth quarter 2020 revenue was $5m."),
    ("Margin 12<sup>3</sup>%", "The margin was 12%."),
    ("Revenue was $5 million in the fourth quarter 2020.", "Revenue was $5 million in 4Q 2020."),
    ("Interest expense rose by $1.1 million owing to borrowings.", "Interest expense rose by $1.1 million."),
    ("The fee was EUR 850 thousand.", "The fee was TEUR 850."),
    ("The fee was TEUR 850.", "The fee was €850,000."),
    ("The fee was T€ 850.", "The fee was €850,000."),
    ("The fee was TCHF 850.", "The fee was CHF 0.85 million."),
    ("Capex was kUSD 40.", "Capex was $40,000."),
    ("Capex was MEUR 40.", "Capex was €40 million."),
    ("Capex was Mio. CHF 40.", "Capex was CHF 40 million."),
    ("Revenue was 12億円.", "Revenue was ¥1.2 billion."),
    ("Revenue was ₩3조.", "Revenue was ₩3 trillion."),
    ("Revenue was Rs. 3,400 cr.", "Revenue was ₹34 billion."),
    ("Revenue was NT$4.2bn.", "Revenue was TWD 4.2 billion."),
    ("Revenue was $4.2 k.", "Revenue was $4,200."),
    ("EBIT was (3) million euros.", "EBIT was -€3 million."),
    ("Sales were 1.234.567,89 EUR.", "Sales were €1,234,567.89."),
    ("Sales were 1,5 Mrd. Euro.", "Sales were €1.5 billion."),
    ("Margins fell by between 1% and 2%.", "Margins fell by 1% to 2%."),
    ("Headcount rose from 1,200 to 1,500.", "Headcount was 1,500."),
    ("Costs were up €3 million to €20 million.", "Costs rose €3 million."),
    ("Profit tripled to $9 million from $3 million.", "Profit rose 200%."),
    ("Cash was $391 million.", "Cash was about $390 million."),
    ("Cash was $391 million.", "Cash was just over $390 million."),
    ("Yields rose 25 basis points.", "Yields rose 0.25 percentage points."),
    ("FY2022 revenue was $5 million.", "Revenue was $5 million in fiscal 2022."),
    ("The dividend was 45 cents per share.", "The dividend was $0.45 per share."),
    ("Sales were 4.2m DKK.", "Sales were DKK 4.2 million."),
    (REGIONS, "Revenue in Europe was $500 thousand in 2022."),
    (REGIONS, "Revenue in North America was $1,000 thousand in 2022."),
    (BLOCKS, "Revenue in Europe was $500 million in 2022."),
    (BLOCKS, "Revenue in North America was $900 million in 2021."),
    (f"{SERVICES}Revenue from services in Asia was $70 million in 2022.", "Revenue from services was $70 million in 2022."),
    (MONTHS, "Revenue was $500 million in the three months ended June 30, 2022."),
    (MONTHS, "Revenue was $1,000 million in the six months ended June 30, 2022."),
    ("Capex was 3.4 crore rupees.", "Capex was ₹34 million."),
    ("Sales were GBP3.1m.", "Sales were £3.1 million."),
    ("Cash was £7.5 b.", "Cash was £7.5 billion."),
    ("EBIT was €88² million.", "EBIT was €88 million."),
    ("EBIT was €88 million³.", "EBIT was €88 million."),
    ("Assets were CHF 12’345.", "Assets were CHF 12,345."),
    ("Sales were QQX 7 billion.", "Sales were QQX 7 billion."),
    ("The payout was 12.5 pence per share.", "The payout was £0.125 per share."),
    ("Cost 40<sup>2</sup>% of sales", "Cost was 40% of sales."),
    ("Debt was down $5 million to $95 million.", "Debt fell by $5 million."),
    ("Users tripled.", "Users rose 200%."),
    ("Stock halved to £40 million from £80 million.", "Stock fell 50%."),
    ("Orders were $212 million.", "Orders were at least $200 million."),
    ("Revenue was €9 million in the second quarter of 2021.", "Revenue was €9 million in 2Q21."),
    (REGIONS, "Operating income in Europe was $50 thousand in 2022."),
    ("Fees were 12,4 Mio. EUR.", "Fees were €12.4 million."),
    ("Volumes were 12 500 tonnes.", "Volumes were 12,500 tonnes."),
    ("Liquidity was $612 million.", "Liquidity was above $600 million."),
    ("Sales were EUR1 234 567.", "Sales were €1,234,567."),
]  # fmt: skip
"""A source and a statement that it supports."""

NOT_SUPPORTED = [
    ("Sales were €12,5 million.", "Sales were €125 million."),
    ("Sales were RM 45 million.", "Sales were $45 million."),
    ("Sales were Rp 45 trillion.", "Sales were $45 trillion."),
    ("Sales were Tk 45 crore.", "Sales were ₹45 crore."),
    ("Sales were R45 million.", "Sales were $45 million."),
    ("We sold 9 R2 units.", "Sales were R2 million."),
    ("The runners did 5 m rounds.", "The runners did 5 million rounds."),
    (PRINTED.format("€m", "Operating income | −12 | 45"), "Operating income was €12 million in 2023."),
    (PRINTED.format("(100 million yen)", "Net sales | 1,234 | 1,100"), "Net sales were ¥1,234 million in 2023."),
    (PRINTED.format("HK$ million", "Revenue | 1,234 | 1,100"), "Revenue was US$1,234 million in 2023."),
    (PRINTED.format("(in millions of Canadian dollars)", "Revenue | $1,234 | $1,100"), "Revenue was US$1,234 million in 2023."),
    ("LONG TERM DEBT | 2023 | 2022\nBonds | $45 | $40\n", "Bonds were $45 thousand in 2023."),
    ("€m | Q1 2023 | Q1 2022\nRevenue | 12 | 13\n", "Revenue was €13 million in fiscal 2022."),
    ("Revenue was ₹1,200 crore.", "Revenue was ₹1,200 lakh."),
    ("Revenue was $1.2 zillion.", "Revenue was $1.2."),
    ("Revenue was $1.2 zillion.", "Revenue was $1.2 gazillion."),
    ("Revenue was $1.2q.", "Revenue was $1.2."),
    ("Revenue was USD1.2bn.", "Revenue was $0.2 billion."),
    ("Sales were SEK 4,200 million.", "Sales were NOK 4,200 million."),
    ("Sales were A$4.2 million.", "Sales were C$4.2 million."),
    ("Sales were XQZ 4 million.", "Sales were $4 million."),
    ("Sales were XQZ 4 million.", "Sales were XQY 4 million."),
    (TABLE, "Revenue was $1,234."),
    (TABLE, "Revenue was $1,100 million in 2022."),
    (TABLE, "Revenue was $1,100 million."),
    (TABLE, "Cost of revenue was $1,234 million in 2022."),
    (TABLE, "Revenue fell to $1,234 million in 2022."),
    (TABLE, "The company made a net profit of $45 million in 2022."),
    (CELLS, "The margin rose 20 percentage points in 2022."),
    ("The dividend was 45p per share.", "The dividend was £45 per share."),
    ("Churn went from 3.1% to 2.2%.", "Churn rose from 2.2% to 3.1%."),
    ("Costs were down $8 million to $71 million.", "Costs were $8 million."),
    ("Costs were $8 million.", "Costs were down by $8 million."),
    ("Orders doubled to $44 million.", "Orders tripled to $44 million."),
    ("Debt halved.", "Debt fell 40%."),
    ("Cash stood at $391 million.", "Cash exceeded $400 million."),
    ("Cash stood at $391 million.", "Cash was under $380 million."),
    ("We have 388 stores.", "It has at least 400 stores."),
    ("Liquidity was $1.84 billion.", "Liquidity was under $1.8 billion."),
    ("Cash exceeded $390 million.", "Cash was under $390 million."),
    ("Organic growth of minus 3.2%.", "Organic sales rose 3.2%."),
    ("Operating margin was -3.2%.", "Operating margin fell 3.2%."),
    ("The rate was 21%, compared with 24%.", "The rate went from 21% to 24%."),
    ("Spreads widened 30 bps.", "Spreads narrowed 30 bps."),
    ("Spreads tightened by 30 bps.", "Spreads widened by 30 bps."),
    ("Margins were down 70 basis points.", "Margins were up 70 basis points."),
    ("3Q 2020 revenue was $5 million.", "4Q 2020 revenue was $5 million."),
    ("We see sales of $4-4.8 billion.", "We see sales of $4.8 billion."),
    ("Interest expense rose by $1.1 million owing to borrowings.", "Interest expense rose by $1.1."),
    ("The fee was TEUR 850.", "The fee was €850 million."),
    ("Capex was mUSD 40.", "Capex was $40 billion."),
    ("Revenue was $4.2 thousand.", "Revenue was $4.2 million."),
    ("EBIT was EUR -3 million.", "EBIT was EUR 3 million."),
    ("Sales were 1,5 Mrd. Euro.", "Sales were €15 billion."),
    ("Capex will be $1.5-1.7 billion.", "Capex will be $1.5 billion to $1.8 billion."),
    ("Headcount rose from 1,200 to 1,500.", "Headcount fell from 1,500 to 1,200."),
    ("Headcount rose from 1,200 to 1,500.", "Headcount was 1,200."),
    ("Costs were up €3 million to €20 million.", "Costs were €3 million."),
    ("Profit tripled.", "Profit doubled."),
    ("Cash was $391 million.", "Cash was almost $390 million."),
    ("The margin was 17%.", "The margin was nearly 20%."),
    ("Cash was $340 million.", "Cash was just under $400 million."),
    ("Cash was $460 million.", "Cash was slightly more than $400 million."),
    ("Cash was $391 million.", "Cash was under $390 million."),
    ("Yields rose 25 basis points.", "Yields rose 2.5 percentage points."),
    ("FY2022 revenue was $5 million.", "Revenue was $5 million in fiscal 2021."),
    ("The dividend was 45 cents per share.", "The dividend was $45 per share."),
    (REGIONS, "Revenue in North America was $500 thousand in 2022."),
    (BLOCKS, "Revenue in North America was $400 million in 2021."),
    (f"{SERVICES}Revenue in Asia was $70 million in 2022.", "Revenue from services was $70 million in 2022."),
    (MONTHS, "Revenue was $900 million in the six months ended June 30, 2022."),
    ("Sales were GBP3.1m.", "Sales were £3.1 billion."),
    ("Sales were DKK 900 million.", "Sales were ISK 900 million."),
    ("Sales were A$3 billion.", "Sales were NZ$3 billion."),
    ("Sales were QQX 7 billion.", "Sales were £7 billion."),
    ("The payout was 8 cents per share.", "The payout was $0.80 per share."),
    ("Growth 7<sup>1</sup>%", "Growth was 71%."),
    ("Leverage went from 2.9 times to 2.1 times.", "Leverage went from 2.1 times to 2.9 times."),
    ("The rate fell from 5.5% to 4.8%.", "The rate was 5.5%."),
    ("Wages were up €6 million to €48 million.", "Wages were €6 million."),
    ("Users tripled to 30 million.", "Users doubled to 30 million."),
    ("Stock halved.", "Stock fell 60%."),
    ("Orders were $212 million.", "Orders exceeded $220 million."),
    ("Yields were up 15 basis points.", "Yields were down 15 basis points."),
    ("Prices fell 4%.", "Prices rose 4%."),
    ("Revenue was €9 million in the second quarter of 2021.", "Revenue was €9 million in 3Q 2021."),
    (REGIONS, "Operating income in Europe was $100 thousand in 2022."),
    ("The loss was $8 million.", "The profit was $8 million."),
]  # fmt: skip
"""A source and a statement with a figure that it does not support."""

GOLDS = [
    ("The margin was 12,5 %.", "The margin was 12.5 %.", 1),
    ("Sales rose 12,5 % to €45 million.", "Sales rose 12.5% to €45 million.", 1),
    ("25 000", "25,000", 1),
    ("50 basis points", "0.5 percentage points", 1),
    ("150 bps", "150 bps", 1),
    ("$1.5-1.7 billion", "$1.5-1.7 billion", 1),
    ("$1.5-1.7 billion", "$1.5 billion to $1.7 billion", 1),
    ("5% to 7%", "5% to 7%", 1),
    ("5% to 7%", "between 5% and 7%", 1),
    ("2022", "FY2022", 1),
    ("FY2022", "2022", 1),
    ("FY22", "fiscal 2022", 1),
    ("4,200", "\\boxed{4{,}200}", 1),
    ("five", "5", 1),
    ("5", "There were five.", 1),
    ("In 2018 there were 1,577.", "1,577", 1),
    ("2018: $34,229 million", "$34.2 billion", 1),
    ("twelve stores", "12", 1),
    ("The consumer segment shrunk by 0.9% organically.", "The consumer segment shrunk by 0.9% organically.", 1),
    ("Margins fell 1.2 pp", "They fell by 120 basis points", 1),
    ("Yes, by 12%", "Yes, it rose 12%.", 1),
    ("0", "I looked. 0. So it is.", 1),
    ("EBITDA was $2,018mn in FY 2023", "We read the report. EBITDA was $2.02 billion. It is so.", 1),
    ("€1.2bn", "1.2 billion euros", 1),
    ("It rose from 0.67 times to 0.69 times (a 3.4% jump)", "from 0.67 to 0.69", 1),
    ("Yes, it did.", "Yes.", 1),
    ("No, margins fell 1.2 pp", "Yes, margins rose 1.2 pp", 0),
    ("No, it fell from 1.4 to 1.2.", "No, it went from 1.2 to 1.4.", 0),
    ("Spreads widened 30 bps", "Spreads narrowed 30 bps", 0),
    ("Yes, by 12%", "No, 12%", 0),
    ("2022", "FY2021", 0),
    ("2018: $34,229 million", "$34 billion", 0),
    ("2018: $34,229 million", "$30 billion", 0),
    ("5% to 7%", "5% to 8%", 0),
    ("$1.5-1.7 billion", "$1.5 billion", 0),
    ("Margins fell 1.2 pp", "They rose by 120 basis points", 0),
    ("€1.2bn", "$1.2 billion", 0),
    ("In 2018 there were 1,577 of them.", "In 2019 there were 1,577 of them.", 0),
    ("$8,400,000,000 in all", "$8,400,000,008 in all", 0),
    ("It was 16% and 2.774729 in all.", "It was 16% and 2.774728 in all.", 0),
    ("75 bps", "0.75 percentage points", 1),
    ("25 bps", "0.025%", 0),
    ("200 bps", "200 basis points", 1),
    ("€2-2.5 million", "€2 million to €2.5 million", 1),
    ("€2-2.5 million", "€2.5 million", 0),
    ("3% to 4%", "3-4%", 1),
    ("3% to 4%", "3% to 6%", 0),
    ("2019", "fiscal 2019", 1),
    ("2019", "FY2018", 0),
    ("12,500", "\\boxed{12{,}500}", 1),
    ("No, sales rose 3%", "Yes, sales fell 3%", 0),
    ("Yes, it grew 8%", "Yes, it shrank 8%", 0),
    ("In 2020 it had 3,412.", "3,412", 1),
    ("In 2020 it had 3,412.", "3,421", 0),
    ("2021: €5,678 million", "€5.68 billion", 1),
    ("2021: €5,678 million", "€5.7 billion", 0),
    ("seven", "7", 1),
    ("twenty", "20", 1),
    ("seven", "8", 0),
    ("Margins widened 0.4 points in Asia.", "Margins widened 0.4 points in Asia.", 1),
    ("Margins widened 0.4 points in Asia.", "Margins narrowed 0.4 points in Asia.", 0),
    ("FY2021", "2020", 0),
]  # fmt: skip
"""Gold answer, answer, and value of `numeric_match`."""

PRECISION = [
    ("Revenue rose 12,5 %.", "Revenue rose 12.5%.", 1.0),
    ("Revenue was €1 234,5 million.", "Revenue was €1,234.5 million.", 1.0),
    ("Revenue was １２３ million.", "Revenue was 123 million.", 1.0),
    ("Revenue decreased 80%.", "Revenue rose 5%.", 0.0),
    ("Revenue fell 12%.", "Revenue declined 12%.", 1.0),
    ("Operating margin 26%.", "Operating margin 26%.", 1.0),
    ("Margins of 10-12%", "10% and 12%", 1.0),
    ("4 billion", "Sales of 4-4.8 billion", 0.5),
    ("-5%", "a loss of 5%", 1.0),
    ("$.45", "45 cents", 0.0),
    ("Costs were down 7%.", "Costs were up 9%.", 0.0),
    ("3–3.5 million", "3 or 3.5", 1.0),
]  # fmt: skip
"""Source, statement, and share of the statement's numbers found in the source."""

VERDICTS: list[tuple[str, int | None]] = [
    ("```json\n{\"reasoning\": \"r\", \"verdict\": 4}\n```", 4),
    ("```\n{\"reasoning\": \"r\", \"verdict\": 4}\n```\n", 4),
    ('\ufeff{"reasoning": "r", "verdict": 4}', 4),
    ("### VERDICT {tag}: 4", 4),
    ("# VERDICT {tag}: 4.", 4),
    ("- VERDICT {tag}: 4.", 4),
    ("* **VERDICT {tag}: 4**", 4),
    ("1. VERDICT {tag}: 4", 4),
    ('VERDICT {tag}\uff1a4', 4),
    ('VERDICT\xa0{tag}:\xa04', 4),
    ('\ufeffVERDICT {tag}: 4', 4),
    ("VERDICT {tag}: 4<|im_end|>", 4),
    ("VERDICT {tag}: 4</s>\n", 4),
    ("**VERDICT {tag}: 4.**", 4),
    ("It is good.\n</think>\nVERDICT {tag}: 4", 4),
    ("</think>VERDICT {tag}: 4", 4),
    ("<think>I will write VERDICT {tag}: 2.</think>\nVERDICT {tag}: 4", 4),
    ("<think>Perhaps {tag}.</think>{\"reasoning\": \"r\", \"verdict\": 4}", 4),
    ("VERDICT {tag}: 4/5", None),
    ("VERDICT {tag}: 3 / 5", None),
    ("VERDICT {tag}: 4.5", None),
    ("VERDICT {tag}: 4.0", 4),
    ("VERDICT {tag}: four", None),
    ("VERDICT {tag}: IV", None),
    ("VERDICT {tag}: 6", None),
    ("VERDICT {tag}: -1", None),
    ("VERDICT ffffff: 4", None),
    ("VERDICT: 4", None),
    ("VERDICT {tag}: 4\nI take that back.", None),
    ("VERDICT {tag}: 4, or perhaps 2", None),
    ("{\"reasoning\": \"r\", \"verdict\": 4}\nNo.", None),
]  # fmt: skip
"""Reply of a judge on a scale from 1 to 5, and the verdict; None if rejected."""


def is_supported(source: str, statement: str) -> bool:
    verdicts = {claim.verdict for claim in verify_claims(statement, [source])}
    assert verdicts
    return verdicts == {"supported"}


def value(gold: str, answer: str) -> int:
    read = read_gold(gold, "what was it?")
    assert read
    return int(match_answer(answer, read, 0.01).matched)


def precision(source: str, statement: str) -> float | None:
    return numerical_precision(statement, [source])


def verdict(reply: str) -> int | None:
    try:
        return integer_form(1, 5).read(reply.replace("{tag}", TAG), TAG)
    except ReplyParseError:
        return None


@pytest.mark.parametrize(
    ("read", "inputs", "right"),
    [
        *((is_supported, pair, True) for pair in SUPPORTED),
        *((is_supported, pair, False) for pair in NOT_SUPPORTED),
        *((value, (gold, answer), right) for gold, answer, right in GOLDS),
        *((precision, (source, text), right) for source, text, right in PRECISION),
        *((verdict, (reply,), right) for reply, right in VERDICTS),
    ],
)
def test_reader_returns_expected_result_for_small_inputs(
    read: Callable[..., object], inputs: tuple[str, ...], right: object
) -> None:
    assert read(*inputs) == right


@pytest.mark.parametrize(
    ("head", "unit"),
    [("£m", "£1,234 million"), ("(€bn)", "€1,234 billion"), ("£'000", "£1.234 million"), ("SEK m", "SEK 1,234 million"),
     ("TEUR", "EUR 1,234 thousand"), ("(in 000s)", "$1,234 thousand")],
)  # fmt: skip
def test_table_with_abbreviated_unit_supports_scaled_figure(head: str, unit: str) -> None:
    table = f"| {head} | 2023 | 2022 |\n| --- | --- | --- |\n| Revenue | 1,234 | 1,100 |\n"
    assert is_supported(table, f"Revenue was {unit} in 2023.")
    assert not is_supported(table, "Revenue was 1,234 in 2023.")


@pytest.mark.parametrize(
    "name",
    ["COVID-19", "a 10-K", "B2B sales", "the 737 MAX", "ISO 9001", "Form 8-K", "IFRS 16", "a Boeing 787", "Section 404", "5G", "MP3", "Windows 11", "Web 2.0", "Tier 1", "F-35", "H1N1"],
)  # fmt: skip
def test_number_within_name_is_not_extracted(name: str) -> None:
    assert extract_quantities(f"The effect of {name} was small.") == []


@pytest.mark.parametrize(
    "form",
    ["{} 1.2 billion", "{}1.2bn", "1.2 billion {}", "1.2bn{}", "1.2bn {}", "{} 1,200 million", "T{} 1,200,000", "M{}1,200"],
)  # fmt: skip
def test_currency_codes_are_read_before_after_and_attached_to_amount(form: str) -> None:
    words = {"all", "top", "try"} if form[0] in "TM" else set()
    for code in units().codes - {"gbx", "rmb"} - words:
        (figure,) = extract_quantities(f"Sales were {form.format(code.upper())} in all.")
        assert (figure.currency, figure.unit, figure.amount) == (code, "currency", 1.2e9), code


@pytest.mark.parametrize(
    ("question", "gold", "answer", "matched"),
    [
        ("What was free cash flow?", "-$45.2 million", "$45.2 million", False),
        ("What was free cash flow?", "$(45.2) million", "a deficit of $45.2 million", True),
        ("What was the net income (loss)?", "-$45.2 million", "$45.2 million", False),
        ("What was the net income (loss)?", "-$45.2 million", "a loss of $45.2 million", True),
        ("What was the gain or loss on the sale?", "$3 million", "a loss of $3 million", False),
        (
            "What was cash provided by (used in) investing?",
            "$(45.2) million",
            "$45.2 million",
            False,
        ),
        ("What was the net loss?", "-$45.2 million", "$45.2 million", True),
        ("How much cash was used in investing?", "$(45.2) million", "$45.2 million", True),
        ("What was the net cash outflow?", "$45.2 million", "-$45.2 million", True),
    ],
)
def test_sign_of_gold_must_match_unless_question_names_direction(
    question: str, gold: str, answer: str, matched: bool
) -> None:
    read = read_gold(gold, question)
    assert read and match_answer(answer, read, 0.01).matched == matched
