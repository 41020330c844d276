"""Logs -> tables, statistics, one page: which system wins, by how much, at what price, and why it fails."""

from .human import add_human_marks
from .reading import read_runs
from .report import BenchmarkReport, Report, Section, make_report
from .results import (
    MISSING,
    Benchmark,
    Judgement,
    Mark,
    Notice,
    Results,
    Run,
    SampleResult,
    Scoring,
)
from .tables import Table
from .writing import Written, write_report

__all__ = [
    "MISSING",
    "Benchmark",
    "BenchmarkReport",
    "Judgement",
    "Mark",
    "Notice",
    "Report",
    "Results",
    "Run",
    "SampleResult",
    "Scoring",
    "Section",
    "Table",
    "Written",
    "add_human_marks",
    "make_report",
    "read_runs",
    "write_report",
]
