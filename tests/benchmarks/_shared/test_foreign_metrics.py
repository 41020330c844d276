"""Tests that other tools' metric names are mapped to scorers, in the command and in the docs."""

import re
from pathlib import Path

import pytest

from arag_inspect import scorers
from arag_inspect.benchmark.foreign_metrics import COUNTERPARTS, counterparts
from tests.commands import call
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

DOCS = Path(__file__).parents[3] / "docs" / "from-other-tools.md"


def documented() -> list[tuple[str, list[str]]]:
    """Return each metric in the documentation's table with the scorers beside it."""
    table = DOCS.read_text(encoding="utf-8").partition("## Metrics\n")[2].partition("\n## ")[0]
    pairs = []
    for line in table.splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:-1]]
        if cells and cells[-1]:
            pairs += [(metric, cells[-1]) for cell in cells[:-1] for metric in cell]
    return pairs


@pytest.mark.parametrize(("name", "expected"), TABLES["metrics"])
def test_metric_name_of_another_tool_is_rejected_with_scorer_to_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("v1.csv").write_text("question,answer\nWhy?,So.\n")
    printed = call("replay v1.csv --scorers", name, code=1).output
    assert f"scorer '{name}' is unknown; {expected}" in printed


def test_documented_metrics_map_to_documented_scorers() -> None:
    pairs = documented()
    assert len(pairs) > 30
    scorer_names = scorers.__all__
    for metric, expected in pairs:
        if metric not in scorer_names:
            assert counterparts(metric, scorer_names) == expected, metric
    assert {name for names in COUNTERPARTS.values() for name in names} <= {*scorer_names}
