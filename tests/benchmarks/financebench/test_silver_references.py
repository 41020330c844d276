"""Tests of reference files on disk, as reviewed in a spreadsheet."""

import csv
from pathlib import Path

from arag_inspect.benchmarks._shared.silver_references import (
    REFERENCE_CHECK,
    Reference,
    write_references,
)
from arag_inspect.benchmarks._shared.spot_check import SPOT_CHECK

HOSTILE = "=HYPERLINK(A1)"


def _reference(name: str, text: str) -> Reference:
    return Reference(
        id=name,
        question=HOSTILE,
        reference=text,
        model="m",
        date="2026-01-01",
        prompt_sha256="0",
        chunk_ids=[1],
        chunks_sha256="0",
    )


def test_formula_like_ids_and_notes_are_kept_and_escaped_in_csv(tmp_path: Path) -> None:
    names = ["=a", "-5", "@b"]
    references = [_reference(name, f"+{name}") for name in names]
    write_references(tmp_path, references)
    (tmp_path / SPOT_CHECK).write_text(
        "id,mark,note\n'=a,reject,-5 % is wrong\n-5,accept,\n'@b,,=x\n"
    )
    marks = {"=a": "reject", "-5": "accept", "@b": ""}
    assert REFERENCE_CHECK.read(tmp_path, names) == marks
    write_references(tmp_path, references)
    assert REFERENCE_CHECK.read(tmp_path, names) == marks
    with (tmp_path / SPOT_CHECK).open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    formula_like = [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert formula_like == ["-5"]  # a number, so it is not escaped
    assert f"'{HOSTILE}" in cells and "'-5 % is wrong" in cells and "'=x" in cells
