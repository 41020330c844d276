"""The public names and where they are, for type checkers, editors and `__init__.py`."""

from .benchmarks import Options
from .benchmarks import prepare_dataset as prepare
from .corpus import Corpus
from .measure import MeasureSpec
from .measures.scorer import scorer
from .report import compare, frames, make_report, write_report
from .run.ask import ask
from .run.cost_estimate import estimate_cost
from .run.gate import check_rules as gate
from .run.gate_rules import read_rules
from .run.plan import plan_run as plan
from .run.rejudge import rejudge
from .run.run_systems import run_systems
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
    "write_report",
]
