"""Test which scorers detect known errors in good summaries."""

from .meta_evaluate import Audit, meta_evaluate
from .perturbations.text import Perturbation, PerturbationContext
from .render import markdown, print_audit
from .variants import PERTURBATIONS

__all__ = [
    "PERTURBATIONS",
    "Audit",
    "Perturbation",
    "PerturbationContext",
    "markdown",
    "meta_evaluate",
    "print_audit",
]
