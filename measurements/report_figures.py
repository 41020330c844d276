"""Every figure in the files that `arag-inspect report` writes, by name, without times and paths.

It reads only the files and imports nothing from the package, so that it survives renamed modules.
"""

import csv
import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

Figures = dict[str, Any]
"""Nested dicts with text keys, whose leaves are numbers, texts or None."""

_TIMES = re.compile(
    r"\b(ms|seconds|latency|latency_ms|wall_ms|created|started|duration)\b", re.IGNORECASE
)
_DATES = re.compile(r"\d{4}-\d\d-\d\dT[\w:.+-]*")
_DURATIONS = re.compile(r"\d[\d.,]*( \[[^]]*\])?(?= (ms|s|seconds|min)\b)")
_LONGEST_TEXT = 200

_KEYS = ("benchmark", "system", "id", "epoch")
_OF_A_RUN = (
    *("task", "version", "dataset", "solver", "model", "graders", "status", "planned", "limited"),
    *("invalidated", "impossible", "measures", "headline", "label", "cluster"),
)
_OF_AN_ANSWER = (
    *("company", "period", "style", "question_type", "text", "outcome", "error", "answered_by"),
    *("stopped_by", "context", "words", "target_length", "loops", "input_tokens"),
    *("output_tokens", "tokens", "cost_usd", "cached_calls", "gold", "gold_missed", "facts"),
    "codes",
)


def read_report(folder: Path, hidden: Iterable[str] = ()) -> Figures:
    """Read the figures of a report.

    Args:
        folder: What the report was written to.
        hidden: Texts that differ from place to place, e.g. the working folder.

    Returns:
        `scores` by measure, `answers` by column, `passages`, `verdicts`, `runs`, `tables`,
        `markdown` by heading, and `predictions`.
    """
    names = dict.fromkeys(hidden, "...")
    answers = _frame(folder, "answers")
    keys = _key_by_answer(answers)
    figures = {
        "scores": _scores(folder),
        "signatures": _signatures(folder),
        "answers": _columns(answers, _OF_AN_ANSWER),
        "passages": _steps(_frame(folder, "steps"), keys),
        "verdicts": _verdicts(_frame(folder, "verdicts")),
        "runs": _columns(_frame(folder, "runs"), _OF_A_RUN, by=_KEYS[:2]),
        "tables": _tables(folder),
        "markdown": _markdown(folder / "summarization_report.md"),
        "predictions": _predictions(folder),
    }
    return _hide(figures, names)


def _frame(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(folder / f"{name}.parquet")


def _name(row: Any, keys: Iterable[str]) -> str:
    return " | ".join(str(getattr(row, key)) for key in keys)


def _key_by_answer(answers: pd.DataFrame) -> dict[int, str]:
    return {row.answer: _name(row, _KEYS) for row in answers.itertuples()}


def _leaf(value: Any) -> Any:
    """Return a value as JSON has it; a long text is its beginning and a digest."""
    if hasattr(value, "item"):
        value = value.item()
    if value is None or value != value:
        return None
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        digest = hashlib.sha256(value.encode()).hexdigest()[:12]
        return f"{value[:80]}... ({len(value)} characters, {digest})"
    return value if isinstance(value, str | int | float) else str(value)


def _scores(folder: Path) -> Figures:
    scores = pd.read_csv(folder / "scores.csv", dtype={"id": str}, keep_default_na=False)
    figures: Figures = {}
    for row in scores.itertuples():
        if not _TIMES.search(row.measure):
            reason = f"{row.status}: {row.reason}".removesuffix(": ")
            value = float(row.value) if row.value != "" else reason
            figures.setdefault(row.measure, {})[_name(row, _KEYS)] = value
    return figures


def _signatures(folder: Path) -> Figures:
    scores = pd.read_csv(folder / "scores.csv", dtype=str, keep_default_na=False)
    by_measure = scores.groupby(["benchmark", "system", "measure"])["signature"]
    return {" | ".join(key): "; ".join(sorted(set(signatures))) for key, signatures in by_measure}


def _columns(frame: pd.DataFrame, columns: Iterable[str], by: Iterable[str] = _KEYS) -> Figures:
    names = [_name(row, by) for row in frame.itertuples()]
    return {
        column: dict(_numbered(zip(names, map(_leaf, frame[column]), strict=True)))
        for column in columns
        if column in frame.columns
    }


def _numbered(pairs: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    """Tell equal names apart by a number, in their order."""
    seen: dict[str, int] = {}
    for name, value in pairs:
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else f"{name} #{seen[name]}"), value


def _steps(steps: pd.DataFrame, keys: Mapping[int, str]) -> Figures:
    figures: Figures = {}
    for row in steps.itertuples():
        place = figures.setdefault(keys[row.answer], {})
        values = (row.tool, row.query, row.chunk_id, row.gold)
        texts = [str(_leaf(value)) for value in values if _leaf(value) is not None]
        place[f"{len(place) + 1:03}"] = f"loop {row.loop}, {row.kind}: {', '.join(texts)}"
    return figures


def _verdicts(verdicts: pd.DataFrame) -> Figures:
    figures: Figures = {}
    for row in verdicts.itertuples():
        shown = [_leaf(value) for value in (row.value, row.said, row.reason)]
        name = _name(row, (*_KEYS, "judge", "repeat"))
        figures.setdefault(row.measure, {})[name] = str([v for v in shown if v is not None])
    return {measure: dict(_numbered(values.items())) for measure, values in figures.items()}


def _tables(folder: Path) -> Figures:
    figures: Figures = {}
    for path in sorted(folder.glob("*/tables/*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            heads, *rows = csv.reader(file)
        figures[f"{path.parts[-3]} | {path.stem}"] = _rows(heads, rows)
    return figures


def _rows(heads: list[str], rows: Iterable[list[str]]) -> Figures:
    """Return rows by number and first cell, without rows and columns of times."""
    figures: Figures = {}
    for row in rows:
        if any(_TIMES.search(cell) for cell in row[:2]):
            continue
        cells = {
            head: _number(cell)
            for head, cell in zip(heads, row, strict=False)
            if not _TIMES.search(head) and head != "log"
        }
        figures[f"{len(figures) + 1:03} {row[0]}"] = cells
    return figures


def _number(cell: str) -> Any:
    try:
        number = float(cell)
    except ValueError:
        return _DATES.sub("(date)", cell)
    return number if math.isfinite(number) else cell


def _markdown(path: Path) -> Figures:
    """Return the lines of the Markdown report by heading; its tables as rows."""
    figures: Figures = {}
    headings: dict[int, str] = {}
    table: list[list[str]] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        place = " / ".join(headings.values())
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split(" | ")])
            continue
        if table:
            rows = _rows(table[0], table[2:])
            figures.setdefault(place, {}).update(dict(_numbered(rows.items())))
            table = []
        if match := re.match(r"(#+) (.*)", line):
            level = len(match[1])
            headings = {n: text for n, text in headings.items() if n < level} | {level: match[2]}
        elif line.strip() and not line.startswith("!["):
            lines = figures.setdefault(place, {})
            text = _DURATIONS.sub("(time)", _DATES.sub("(date)", line))
            lines[f"line {len(lines) + 1:03}"] = text
    return figures


def _predictions(folder: Path) -> Figures:
    figures: Figures = {}
    for path in sorted(folder.glob("*/*/predictions*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            flat = {
                key: _leaf(value if isinstance(value, str | int | float) else json.dumps(value))
                for key, value in record.items()
                if not _TIMES.search(key) and key not in ("replay", "trace")
            }
            place = figures.setdefault(f"{path.parts[-3]} | {path.parts[-2]} | {path.name}", {})
            place[str(record["id"])] = flat
    return figures


def _hide(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {_hide(key, names): _hide(item, names) for key, item in value.items()}
    if isinstance(value, str):
        for name, shown in names.items():
            value = value.replace(name, shown)
    return value
