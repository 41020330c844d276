"""Read and compare the figures of financial prose, and check the figures of a summary.

The rooms, in the order in which a text passes through them:

- `numbers`: numbers as they are written, and which of them belong together.
- `wording`: the words about each number; `clauses`, with `edges` and `pairs`, tells which words are
  about which number.
- `attributes` and `extract`: a `Quantity` of each number, from the words about it.
- `comparison`: whether one figure supports another, and differences of equal figures.
- `tables`: cells as figures, and the cells that a statement mentions.
- `checks`: `verify` checks the figures of a text against passages, `statements` matches facts, and
  `support` estimates whether a source supports a sentence.
- `answers`: whether an answer gives what a gold answer says.

`lexicon`, `periods` and `quantity` are the terms that all of them share. `num_prec` is a measure
of ECTSum's authors, which compares bare numbers.
"""

from .checks.stated_figures import CheckedClaim
from .checks.statements import (
    Statement,
    StatementMatch,
    match_claim,
    match_fact,
    read_statement,
    read_statements,
)
from .checks.verify import verify_claims
from .comparison.compare import Verdict, compare
from .extract import check_numbers, extract_quantities
from .num_prec import numerical_precision
from .quantity import Quantity

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
