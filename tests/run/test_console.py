"""Tests of `run`'s output: progress, its own table, and only warnings from Inspect."""

import re
from pathlib import Path

import pytest

from tests.commands import call
from tests.scripted import STEADY


@pytest.mark.usefixtures("logs")
def test_run_prints_progress_and_table_without_inspect_metrics(synthetic_folder: Path) -> None:
    line = ["run", "earnings_synthetic", "--model", "offline/extractive", "--grader", STEADY]
    line += ["--systems", "naive_rag,closed_book", "-T", f"corpus={synthetic_folder}"]
    result = call(*line, "--limit", "3", "--log-dir", "logs/run")
    assert "Samples ended: 6 of 6" in result.stderr
    table = result.output.partition("mean [95 % interval]")[2].partition("Next: ")[0]
    intervals = re.findall(r"\[\d.*?\]", table)
    assert len(intervals) == 4 and all("\n" not in interval for interval in intervals)
    assert max(map(len, table.splitlines())) <= 80
    assert not re.search(r"share_at_least|stderr|rouge1|p90", result.output)
