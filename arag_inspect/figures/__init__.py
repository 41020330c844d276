"""Figures of financial prose: reading them, comparing them, checking those of a summary."""

from arag_inspect.figures.agreement import Verdict, agree
from arag_inspect.figures.claims import CheckedClaim, check_claims
from arag_inspect.figures.figure import Figure
from arag_inspect.figures.precision import numerical_precision
from arag_inspect.figures.reading import read_figures
from arag_inspect.figures.statements import Statement, Told, borne_out, read_statement, told

__all__ = [
    "CheckedClaim",
    "Figure",
    "Statement",
    "Told",
    "Verdict",
    "agree",
    "borne_out",
    "check_claims",
    "numerical_precision",
    "read_figures",
    "read_statement",
    "told",
]
