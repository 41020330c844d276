"""A small folder in the layout of the ECTSum repository."""

import json
from pathlib import Path

CALLS = {
    "ACME_q1_2021": [
        "Total revenue was $1.5 billion, a 7.5% decline versus last year.",
        "We saw strong demand in the U.S. and in Europe.",
        "For fiscal 2021, we expect earnings per share of $2.85 to $3.10.",
    ],
    "ZORG_q4_2020": [
        "Net sales grew 12% to $310 million.",
        "Our plant in Ohio opened in November.",
    ],
    "NOKEY_q2_2020": ["We had a quiet quarter.", "Nothing happened that was worth a summary."],
}
KEY = {
    "ACME_q1_2021": [CALLS["ACME_q1_2021"][0], CALLS["ACME_q1_2021"][2]],
    "ZORG_q4_2020": [
        "Net sales rose 12% to $310 million.",
        "A sentence that stands in no transcript whatsoever, from another source.",
    ],
    "NOKEY_q2_2020": [],
}


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
