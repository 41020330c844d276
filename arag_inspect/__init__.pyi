"""The public names and where they are, for type checkers, editors and `__init__.py`."""

from .benchmark.viewer import task_viewer
from .benchmarks import Options
from .benchmarks import prepare_dataset as prepare
from .corpus import Corpus
from .measure import MeasureSpec
from .measures.scorer import scorer
from .report import compare, frames, make_report, write_report
from .run.api import estimate_cost, plan, run_systems
from .run.ask import ask
from .run.gate.gate import gate
from .run.gate.rules import read_rules
from .run.rejudge.rejudge import rejudge
from .scorers import MEASURES
from .types.trace import Passage, RetrievalTrace
from .validity import meta_evaluate

__all__ = [
    "MEASURES",
    "Corpus",
    "MeasureSpec",
    "Options",
    "Passage",
    "RetrievalTrace",
    "ask",
    "compare",
    "estimate_cost",
    "frames",
    "gate",
    "make_report",
    "meta_evaluate",
    "plan",
    "prepare",
    "read_rules",
    "rejudge",
    "run_systems",
    "scorer",
    "task_viewer",
    "write_report",
]
