"""Turn logs into tables, statistics and one page.

They show which system is better, by how much, at what cost, and why systems fail.
"""

from .benchmark import Benchmark, benchmarks
from .build import BenchmarkReport, Report, ReportSection, make_report
from .compare import compare_frames, compare_runs
from .criteria import Criterion, read_criteria
from .fact_paths import fact_paths
from .frames import Frames, LogOptions, Notice
from .load.logs import bill_text, frames
from .table import Table
from .tables.human import add_human_marks
from .write import WrittenReport, upload_report, write_report

__all__ = [
    "Benchmark",
    "BenchmarkReport",
    "Criterion",
    "Frames",
    "LogOptions",
    "Notice",
    "Report",
    "ReportSection",
    "Table",
    "WrittenReport",
    "add_human_marks",
    "benchmarks",
    "bill_text",
    "compare_frames",
    "compare_runs",
    "fact_paths",
    "frames",
    "make_report",
    "read_criteria",
    "upload_report",
    "write_report",
]
