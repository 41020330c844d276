"""Small files in the schemas of the question sets, with pages of fictional companies."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.tables import tables_beside

TABLES = tables_beside(__file__)

PAGE: dict[str, Any] = TABLES["page"]
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

FINDER = TABLES["finder"]

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
