"""Tests that the report on three frozen demo logs keeps its cells.

Cells with times or versions are left out. Renamed columns and rows are listed in `RENAMED`,
cells whose values were changed on purpose in `CHANGED`.
To rewrite the cells: `python -m tests.frozen.test_demo_logs`.
"""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.commands import typed

FOLDER = Path(__file__).parent
RENAMED: dict[str, str] = {
    "USD a coverage point": "cost per coverage point (USD)",
    "USD a coverage point n": "cost per coverage point (USD) n",
    "USD a question": "cost per question (USD)",
    "USD a question n": "cost per question (USD) n",
    "judge USD a question n": "judge cost per question (USD) n",
    "judge USD a question": "judge cost per question (USD)",
    "arag|O#1": "A-RAG|Omission (O)#1",
    "naive_rag|IR#1": "Naive RAG|Irrelevant retrieval (IR)#1",
    "naive_rag|O#1": "Naive RAG|Omission (O)#1",
    "stuffing|O#1": "Stuffing|Omission (O)#1",
}
"""Name of a table, column or row in the frozen cells -> its current name."""

WORDS = {
    "arag": "A-RAG",
    "naive_rag": "Naive RAG",
    "stuffing": "Stuffing",
    "Error H": "Hallucination (H)",
    "Error O": "Omission (O)",
    "Error N": "Numerical error (N)",
    "Error IR": "Irrelevant retrieval (IR)",
    "Error P": "Premature termination (P)",
    "Error IC": "Incoherence (IC)",
    "Error V": "Verbosity (V)",
    "Error HE": "Hedging (HE)",
    "O": "Omission (O)",
    "IR": "Irrelevant retrieval (IR)",
    "1 =": "1, shared",
}
"""Names of systems and errors within a name or value -> their current names."""

_WORD = re.compile(rf"(?<![\w.])(?:{'|'.join(sorted(WORDS, key=len, reverse=True))})(?![\w.])")

CHANGED: dict[str, str] = {
    "criteria/Faithfulness of 4 or more": "the package's own list has no threshold of its own",
    "criteria/Coverage of 4 or more": "the same",
    "examples/arag: win|no sample": "a rule that no sample fits keeps its words",
    "examples/stuffing: win|no sample": "the same",
    **{
        f"length_bias/{measure}": "only what judges gave is correlated with length"
        for measure in (
            *("BERTScore", "Contains", "Embedding", "Fact", "Figures", "Not contradicted"),
            *("Num-Prec", "ROUGE", "Sections", "Words"),
        )
    },
    **{
        f"comparisons/{row}#1/verdict": "p has three decimals, as in its column"
        for row in (
            "primary|Coverage (1-5)|arag|naive_rag",
            "primary|Coverage (1-5)|naive_rag|stuffing",
            "secondary|Facts stated|arag|naive_rag",
            "secondary|Facts stated|naive_rag|stuffing",
        )
    },
    "summary/": "the table is gone: the leaderboard and the scores have its figures",
    "stuffable/": "the table is gone: samples skipped are in that of what became of them",
    "overlap_against_judges/": "the table is gone: Correlation of the measures has its rho",
}
"""Prefix of `table/row/column` -> why its value changed, or why it was removed."""

_DIGITS = 9

_PAIRS = {"comparisons": 2, "power": 1}
"""Position of the first of two systems in a table's row names."""

_TURNED = {"a": "b", "b": "a", "a - b low": "a - b high", "a - b high": "a - b low"}
"""Columns for a pair of systems -> the columns with the same figure if the order is swapped."""


def cells(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each cell of a report as `table/row/column` with its value."""
    for path in sorted(folder.rglob("tables/*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        row_counts: dict[str, int] = {}
        for row in rows:
            words = [value for value in row.values() if value and not _is_number(value)]
            name = "|".join(words[:4])
            row_counts[name] = row_counts.get(name, 0) + 1
            for column, value in row.items():
                yield f"{path.stem}/{name}#{row_counts[name]}/{column}", _rounded(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _rounded(text: str) -> str:
    return f"{float(text):.{_DIGITS}g}" if _is_number(text) else text


def _current_name(text: str, table: str = "") -> str:
    """Return the current name for a frozen name or value; a run's solver keeps its name."""
    count = 1 if table == "runs" else 0
    return RENAMED.get(text) or _WORD.sub(lambda word: WORDS[word[0]], text, count)


def _turned(key: str, value: str) -> tuple[str, str]:
    """Return a pair's cell with its systems swapped, as the better one now comes first."""
    table, _, place = key.partition("/")
    row, _, column = place.partition("#1/")
    words, first = row.split("|"), _PAIRS[table]
    words[first : first + 2] = reversed(words[first : first + 2])
    if column in ("a - b", "a - b low", "a - b high", "d"):
        value = _rounded(str(-float(value)))
    elif column == "wins/ties/losses":
        value = "/".join(reversed(value.split("/")))
    return f"{table}/{'|'.join(words)}#1/{_TURNED.get(column, column)}", value


def _report(folder: Path) -> dict[str, str]:
    typed(folder, f"arag-inspect report {FOLDER / 'logs'} --out report --criteria")
    return dict(cells(folder / "report"))


def test_report_cells_match_frozen_values(tmp_path: Path) -> None:
    frozen: dict[str, str] = json.loads((FOLDER / "cells.json").read_text(encoding="utf-8"))
    current_cells = _report(tmp_path)
    expected = {}
    for key, value in frozen.items():
        if not key.startswith(tuple(CHANGED)):
            table, row, column = key.split("/", 1)[0], *key.split("/", 1)[1].rsplit("/", 1)
            cell = "/".join((table, _current_name(row, table), _current_name(column)))
            of_today = value if column == "solver" else _current_name(value)
            if table in _PAIRS and cell not in current_cells:
                cell, of_today = _turned(cell, of_today)
            expected[cell] = of_today
    assert len(expected) > 1_000
    assert {key: current_cells.get(key, "no such cell") for key in expected} == expected


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        text = json.dumps(_report(Path(temporary)), indent=0, ensure_ascii=False)
    (FOLDER / "cells.json").write_text(text + "\n", encoding="utf-8")
