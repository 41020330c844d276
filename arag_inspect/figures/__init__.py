"""Figures of financial prose: reading them, comparing them, checking those of a summary."""

from arag_inspect.figures.agreement import Verdict, agree
from arag_inspect.figures.claims import CheckedClaim, check_claims
from arag_inspect.figures.figure import Figure
from arag_inspect.figures.precision import numerical_precision
from arag_inspect.figures.reading import read_figures

__all__ = [
    "CheckedClaim",
    "Figure",
    "Verdict",
    "agree",
    "check_claims",
    "numerical_precision",
    "read_figures",
]
