"""Test which scorers detect known errors in good summaries."""

from .meta_evaluate import PerturbationReport, meta_evaluate
from .perturbations import PERTURBATIONS, Perturbation, PerturbationContext

__all__ = [
    "PERTURBATIONS",
    "Perturbation",
    "PerturbationContext",
    "PerturbationReport",
    "meta_evaluate",
]
