"""The demo, from the command line."""

import re
from pathlib import Path

from tests.commands import typed


def test_demo_prints_the_table_and_says_where_the_logs_are(tmp_path: Path) -> None:
    printed = typed(tmp_path, "arag-inspect demo --documents 6 --limit 2", COLUMNS="80")
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
    assert all(1 <= float(row[0]) <= 5 and 0 <= float(row[2]) <= 1 for row in rows.values())
    assert all(row[-2:] == ["2", "0"] for row in rows.values())
    assert "Embedded" in printed and "BERT" in printed and "…" not in printed
    assert all(0 < float(cell) <= 1 for row in more.values() for cell in row[3:])
    assert "inspect view --log-dir logs/demo" in printed
    assert "--model anthropic/claude-sonnet-4-6" in printed
    assert "Open the report:   report/demo/report.html" in printed
    markdown = (tmp_path / "report" / "demo" / "summarization_report.md").read_text()
    assert "With 2 companies no difference can be shown" in markdown
    assert len(list((tmp_path / "logs" / "demo").glob("*.eval"))) == 3
