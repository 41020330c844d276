"""Turn logs into tables, statistics and one page.

They show which system is better, by how much, at what cost, and why systems fail.
"""

from .analysis.criteria import Criterion, read_criteria
from .analysis.human_labels import add_human_marks
from .before_after import compare_results
from .build import BenchmarkReport, Report, Section, make_report
from .frames import Frames, frames
from .load.logs import read_runs
from .load.paid import bill_text
from .load.records import (
    MISSING,
    Benchmark,
    Judgement,
    MeasureValue,
    Notice,
    Results,
    Run,
    SampleResult,
    Scoring,
)
from .render.write import Written, upload_report, write_report
from .tables.table import Table

__all__ = [
    "MISSING",
    "Benchmark",
    "BenchmarkReport",
    "Criterion",
    "Frames",
    "Judgement",
    "MeasureValue",
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
    "bill_text",
    "compare_results",
    "frames",
    "make_report",
    "read_criteria",
    "read_runs",
    "upload_report",
    "write_report",
]
