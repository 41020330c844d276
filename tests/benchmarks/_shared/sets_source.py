"""Small files in the schemas of the question sets, with pages of fictional companies."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PAGE: dict[str, Any] = {
    "filename": "ZRG/2014/page_31.pdf",
    "pre_text": ["net revenue rose in 2014 as demand for pumps grew .", "."],
    "post_text": [
        "interest expense was $ 12.5 million in 2014 .",
        "the company has 310 employees .",
    ],
    "table": [
        ["( in millions )", "2014", "2013"],
        ["net revenue", "$ 120", "$ 100"],
        ["operating expenses", "80", "( 70 )"],
        ["", "", ""],
    ],
}
OTHER = {
    **PAGE,
    "filename": "ACM/2015/page_7.pdf",
    "pre_text": ["acme sold its plant in ohio ."],
    "post_text": ["the plant made anvils ."],
    "table": [["2015", "$ 40"], ["2014", "$ 50"]],
}


def finqa_item(number: int, page: dict[str, Any] = PAGE, **qa: Any) -> dict[str, Any]:
    return {**page, "id": f"{page['filename']}-{number}", "qa": {"program": "", "answer": "", **qa}}


FINQA = [
    finqa_item(1, question="what was the percent change in net revenue?", answer="20%", exe_ans=0.2,
               program="subtract(120, 100), divide(#0, 100)",
               gold_inds={"table_1": "the net revenue of 2014 is $ 120 ;"}),
    finqa_item(2, question="what was the interest expense, in millions?", answer="", exe_ans=12.5,
               gold_inds={"text_2": "interest expense was", "table_0": "( in millions )"}),
    finqa_item(1, OTHER, question="did the amount fall?", answer="yes", exe_ans="yes",
               gold_inds={"table_1": "2014 50"}),
]  # fmt: skip

FINDER = [
    {"_id": "a1", "text": "ZRG pump demand and pricing power.", "reasoning": False,
     "category": "Company overview", "type": None,
     "references": ["Zorg makes pumps.\nDemand for pumps grew in every region in 2014.",
                    "Prices of pumps rose by 3%."],
     "answer": "Demand grew everywhere, prices rose 3%."},
    {"_id": "a2", "text": "Acme plant sale.", "reasoning": True, "category": "Financials",
     "type": "Subtract",
     "references": ["Acme sold its Ohio plant for $40 million; its book value was $50 million."],
     "answer": "A loss of $10 million."},
    {"_id": "a3", "text": "ZRG pricing.", "reasoning": False, "category": "Financials",
     "type": None,
     "references": ["Prices of  pumps rose by 3%."], "answer": ""},
]  # fmt: skip

FILING = "Annual report of Zorg.\n" + "\n".join(
    f"Note {number}. Net revenue of segment {number} was ${number * 7} million."
    for number in range(1, 60)
)
DOCFINQA = [
    {"Context": FILING, "Question": "what was net revenue of segment 5, in millions?",
     "Program": "", "Answer": "35"},
    {"Context": FILING, "Question": "did segment 2 earn more than segment 1?",
     "Program": "greater(14, 7)", "Answer": "yes"},
    {"Context": FILING, "Question": "what was net revenue of segment 5, in millions?",
     "Program": "", "Answer": "35"},
    {"Context": "Annual report of Acme.\nThe plant was sold for $40 million.",
     "Question": "what was the price, in millions?", "Program": "", "Answer": 40.0},
]  # fmt: skip


def write_finqa(root: Path, items: list[dict[str, Any]] = FINQA) -> Path:
    """Write a copy of the repository and return its root."""
    (root / "dataset").mkdir(parents=True, exist_ok=True)
    (root / "dataset" / "test.json").write_text(json.dumps(items))
    return root


def write_finder(path: Path, rows: list[dict[str, Any]] = FINDER) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def write_docfinqa(path: Path, rows: Sequence[Any] = DOCFINQA) -> Path:
    path.write_text(json.dumps(rows))
    return path
