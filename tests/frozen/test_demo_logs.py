"""Tests that the report on three frozen demo logs keeps its cells.

To rewrite the cells: `python -m tests.frozen.test_demo_logs`.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.commands import typed

FOLDER = Path(__file__).parent
_DIGITS = 9


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


def _report(folder: Path) -> dict[str, str]:
    typed(folder, f"arag-inspect report {FOLDER / 'logs'} --out report --criteria")
    return dict(cells(folder / "report"))


def test_report_cells_match_frozen_values(tmp_path: Path) -> None:
    frozen: dict[str, str] = json.loads((FOLDER / "cells.json").read_text(encoding="utf-8"))
    current_cells = _report(tmp_path)
    assert len(frozen) > 1_000
    assert {key: current_cells.get(key, "no such cell") for key in frozen} == frozen


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        text = json.dumps(_report(Path(temporary)), indent=0, ensure_ascii=False)
    (FOLDER / "cells.json").write_text(text + "\n", encoding="utf-8")
