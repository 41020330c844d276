"""Scorers put to the test: good summaries, damaged in known ways, and who notices."""

from .audit import Audit, audit_scorers
from .damages import Damage, Surroundings
from .table import markdown, print_audit
from .variants import DAMAGES

__all__ = [
    "DAMAGES",
    "Audit",
    "Damage",
    "Surroundings",
    "audit_scorers",
    "markdown",
    "print_audit",
]
