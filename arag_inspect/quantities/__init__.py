"""Figures of financial prose: reading them, comparing them, checking those of a summary."""

from .compare import Verdict, compare
from .extract import extract_quantities
from .num_prec import numerical_precision
from .quantity import Quantity
from .statement_matching import Statement, Told, borne_out, read_statement, told
from .verify import CheckedClaim, verify_claims

__all__ = [
    "CheckedClaim",
    "Quantity",
    "Statement",
    "Told",
    "Verdict",
    "borne_out",
    "compare",
    "extract_quantities",
    "numerical_precision",
    "read_statement",
    "told",
    "verify_claims",
]
