"""Tasks, one module each: a data set, a system, the scorers, and how the log browser shows them."""

from .advisor_facts import advisor_facts
from .custom import custom
from .docfinqa import docfinqa
from .earnings_synthetic import earnings_synthetic
from .ectsum import ectsum
from .finder import finder
from .finqa import finqa
from .legal_cases import legal_cases
from .perspectives import perspectives

__all__ = [
    "advisor_facts",
    "custom",
    "docfinqa",
    "earnings_synthetic",
    "ectsum",
    "finder",
    "finqa",
    "legal_cases",
    "perspectives",
]
