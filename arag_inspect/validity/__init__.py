"""Test which scorers detect known errors in good summaries."""

from ._edits import PerturbationContext
from .audit import PerturbationReport, meta_evaluate
from .perturbations import PERTURBATIONS, Perturbation

__all__ = [
    "PERTURBATIONS",
    "Perturbation",
    "PerturbationContext",
    "PerturbationReport",
    "meta_evaluate",
]
