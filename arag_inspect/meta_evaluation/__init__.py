"""Scorers put to the test: good summaries, damaged in known ways, and who notices."""

from .meta_evaluate import Audit, meta_evaluate
from .perturbations.text import Perturbation, PerturbationContext
from .render import markdown, print_audit
from .variants import DAMAGES

__all__ = [
    "DAMAGES",
    "Audit",
    "Perturbation",
    "PerturbationContext",
    "markdown",
    "meta_evaluate",
    "print_audit",
]
