"""Court opinions with human summaries, and demo data with known errors."""

from .opinion_parts import Part, split_opinion
from .perturbations import ERRORS_FILE, Perturbation, read_perturbations
from .source import DEMO, load_pairs

__all__ = [
    "DEMO",
    "ERRORS_FILE",
    "Part",
    "Perturbation",
    "load_pairs",
    "read_perturbations",
    "split_opinion",
]
