"""The demo, from the command line."""

import json
import re
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.commands import typed

_FROZEN = Path(__file__).parent.parent / "frozen" / "scores.json"
_OF_THE_MACHINE = ("latency_ms", "wall_ms")
RENAMED: dict[str, str] = {}
"""`scorer` or `scorer.key` of the frozen scores -> its name today."""

CHANGED: dict[str, str] = {
    "efficiency.input_tokens": "similarities in tool results have other last digits since "
    "sentence-transformers computes them in bfloat16"
}
"""`scorer.key` -> why its values are others today, or why it is gone."""


def _scores(log_dir: Path) -> dict[str, object]:
    """Read every score of the logs as `system/sample/scorer.key` and its value."""
    values: dict[str, object] = {}
    for info in list_eval_logs(str(log_dir)):
        log = read_eval_log(info)
        for sample in log.samples or []:
            for scorer, score in (sample.scores or {}).items():
                keys = score.value if isinstance(score.value, dict) else {"": score.value}
                for key, value in keys.items():
                    if key not in _OF_THE_MACHINE:
                        name = f"{log.eval.task_args['system']}/{sample.id}/{scorer}.{key}"
                        values[name] = None if value != value else value
    return values


def test_demo_prints_the_table_and_says_where_the_logs_are(tmp_path: Path) -> None:
    printed = typed(tmp_path, "arag-inspect demo --documents 6 --limit 6", COLUMNS="80")
    tables: list[dict[str, list[str]]] = [{}, {}]
    headings: list[list[str]] = []
    for line in printed.splitlines():
        assert len(line) <= 80 or line.startswith(("Open", "With", "Prepared"))
        if line.startswith(" system "):
            headings.append(line.split())
        elif re.match(r" (arag|naive_rag|stuffing) +[-\d]", line):
            tables[len(headings) - 1][line.split()[0]] = line.split()[1:]
    rows, more = tables
    assert set(rows) == set(more) == {"arag", "naive_rag", "stuffing"}
    heading = headings[0]
    recall = {system: row[heading.index("Recall") - 1] for system, row in rows.items()}
    assert recall["stuffing"] == "-" and float(recall["arag"]) > 0.9
    grade, share = heading.index("Faithful") - 1, heading.index("Errors") - 1
    assert all(1 <= float(row[grade]) <= 5 and 0 <= float(row[share]) <= 1 for row in rows.values())
    assert all(row[-2:] == ["6", "0"] for row in rows.values())
    assert "Embedded" in printed and "BERT" in printed and "…" not in printed
    assert all(0 < float(cell) <= 1 for row in more.values() for cell in row[3:])
    assert "inspect view --log-dir logs/demo" in printed
    assert "--model anthropic/claude-sonnet-4-6" in printed
    assert "Open the report:   report/demo/report.html" in printed
    markdown = (tmp_path / "report" / "demo" / "summarization_report.md").read_text()
    assert "With 2 companies no difference can be shown" in markdown
    assert len(list((tmp_path / "logs" / "demo").glob("*.eval"))) == 3
    frozen = json.loads(_FROZEN.read_text(encoding="utf-8"))
    expected = {}
    for name, value in frozen.items():
        place, key = name.rsplit("/", 1)
        if key not in CHANGED:
            expected[f"{place}/{RENAMED.get(key, key)}"] = value
    today = _scores(tmp_path / "logs" / "demo")
    assert len(expected) > 250
    numbers = {name: value for name, value in expected.items() if isinstance(value, float | int)}
    assert {name: today.get(name) for name in numbers} == pytest.approx(numbers, rel=1e-4)
    others = expected.keys() - numbers.keys()
    assert {n: today.get(n, "no score") for n in others} == {n: expected[n] for n in others}
