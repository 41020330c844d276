"""Tasks, one module each: a data set, a system, the scorers, and how the log browser shows them."""

from .advisor_facts import advisor_facts
from .custom import custom
from .docfinqa import docfinqa
from .earnings_synthetic import earnings_synthetic
from .ectsum import ectsum
from .financebench import financebench
from .financebench_qfs import financebench_qfs
from .financebench_references import financebench_references
from .finder import finder
from .finqa import finqa
from .judge_agreement import judge_agreement
from .legal_cases import legal_cases
from .perspectives import perspectives
from .section_summary import section_summary
from .yoy_change import yoy_change

__all__ = [
    "advisor_facts",
    "custom",
    "docfinqa",
    "earnings_synthetic",
    "ectsum",
    "financebench",
    "financebench_qfs",
    "financebench_references",
    "finder",
    "finqa",
    "judge_agreement",
    "legal_cases",
    "perspectives",
    "section_summary",
    "yoy_change",
]
