"""Figures of financial prose: reading them, comparing them, checking those of a summary."""

from .compare import Verdict, compare
from .extract import check_numbers, extract_quantities
from .num_prec import numerical_precision
from .quantity import Quantity
from .statements import (
    Statement,
    StatementMatch,
    match_claim,
    match_fact,
    read_statement,
    read_statements,
)
from .verify import CheckedClaim, verify_claims

__all__ = [
    "CheckedClaim",
    "Quantity",
    "Statement",
    "StatementMatch",
    "Verdict",
    "check_numbers",
    "compare",
    "extract_quantities",
    "match_claim",
    "match_fact",
    "numerical_precision",
    "read_statement",
    "read_statements",
    "verify_claims",
]
