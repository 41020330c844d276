"""Test which scorers detect known errors in good summaries."""

from .meta_evaluate import PerturbationReport, meta_evaluate
from .perturbations.text import Perturbation, PerturbationContext
from .variants import PERTURBATIONS

__all__ = [
    "PERTURBATIONS",
    "Perturbation",
    "PerturbationContext",
    "PerturbationReport",
    "meta_evaluate",
]
