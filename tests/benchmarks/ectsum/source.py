"""A small folder in the layout of the ECTSum repository."""

import json
from pathlib import Path

from tests.tables import tables_beside

TABLES = tables_beside(__file__)

CALLS = TABLES["calls"]
KEY = TABLES["key"]


def write_source(root: Path, split: str = "test") -> Path:
    """Write the folder and return its root."""
    base = root / "data" / "final" / split
    extractive = root / "codes" / "ECT-BPS" / "ectbps_ext" / "data"
    for folder in (base / "ects", base / "gt_summaries", extractive):
        folder.mkdir(parents=True, exist_ok=True)
    for name, lines in CALLS.items():
        (base / "ects" / f"{name}.txt").write_text("\n".join(lines) + "\n")
        (base / "gt_summaries" / f"{name}.txt").write_text("q1 revenue $1.5 billion.\neps up.\n")
    names = sorted(CALLS, reverse=True)  # differs from the folder's order
    (extractive / f"{split}_files.txt").write_text("\n".join(f"{n}.txt" for n in names))
    records = [{"doc": "", "summaries": "\n".join(KEY[n]), "labels": ""} for n in names]
    (extractive / f"{split}.json").write_text("\n".join(json.dumps(r) for r in records) + "\n")
    return root
