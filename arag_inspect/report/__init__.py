"""Logs -> tables, statistics, one page: which system wins, by how much, at what price, and why it fails."""

from .reading import read_runs
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

__all__ = [
    "MISSING",
    "Benchmark",
    "Judgement",
    "Mark",
    "Notice",
    "Results",
    "Run",
    "SampleResult",
    "Scoring",
    "read_runs",
]
