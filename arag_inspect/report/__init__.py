"""Turn logs into tables, statistics and a single page.

Reports show which system is better, by how much, at what cost, and why systems fail.
"""

from .build import Report, ReportSection, StudyReport, make_report
from .compare import compare, compare_frames, compare_runs
from .criterion import Criterion, read_criteria
from .fact_paths import fact_paths
from .frames import Frames, LogOptions, Notice
from .load.ledger import bill_text
from .load.logs import frames
from .load.selection import check_labels
from .output.write import WrittenReport, upload_report, write_report
from .people.human_marks import add_human_marks
from .study import Study, studies
from .table import Table

__all__ = [
    "Criterion",
    "Frames",
    "LogOptions",
    "Notice",
    "Report",
    "ReportSection",
    "Study",
    "StudyReport",
    "Table",
    "WrittenReport",
    "add_human_marks",
    "bill_text",
    "check_labels",
    "compare",
    "compare_frames",
    "compare_runs",
    "fact_paths",
    "frames",
    "make_report",
    "read_criteria",
    "studies",
    "upload_report",
    "write_report",
]
