"""The report of three logs of the demo, against the cells that it had when they were written.

Cells of a time or of a version are left out. A column or row that was renamed since
is listed in `RENAMED`, a cell whose value changed on purpose in `CHANGED`.
To write the cells again: `python -m tests.frozen.test_demo_logs`.
"""

import csv
import json
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
}
"""Name of a table, column or row in the frozen cells -> its name today."""

CHANGED: dict[str, str] = {}
"""`table/row/column` -> why its value is another one today, or why it is gone."""

_DIGITS = 9


def cells(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every cell of a report as `table/row/column` and its value."""
    for path in sorted(folder.rglob("tables/*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        seen: dict[str, int] = {}
        for row in rows:
            words = [value for value in row.values() if value and not _is_number(value)]
            name = "|".join(words[:4])
            seen[name] = seen.get(name, 0) + 1
            for column, value in row.items():
                yield f"{path.stem}/{name}#{seen[name]}/{column}", _rounded(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _rounded(text: str) -> str:
    return f"{float(text):.{_DIGITS}g}" if _is_number(text) else text


def _report(folder: Path) -> dict[str, str]:
    typed(folder, f"arag-inspect report {FOLDER / 'logs'} --out report")
    return dict(cells(folder / "report"))


def test_every_cell_is_the_frozen_one(tmp_path: Path) -> None:
    frozen: dict[str, str] = json.loads((FOLDER / "cells.json").read_text(encoding="utf-8"))
    today = _report(tmp_path)
    expected = {}
    for key, value in frozen.items():
        if key not in CHANGED:
            table, row, column = key.split("/", 1)[0], *key.split("/", 1)[1].rsplit("/", 1)
            parts = (RENAMED.get(part, part) for part in (table, row, column))
            expected["/".join(parts)] = value
    assert len(expected) > 1_000
    assert {key: today.get(key, "no such cell") for key in expected} == expected


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        text = json.dumps(_report(Path(temporary)), indent=0, ensure_ascii=False)
    (FOLDER / "cells.json").write_text(text + "\n", encoding="utf-8")
