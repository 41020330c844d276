"""Figures of financial prose: reading them, comparing them, checking those of a summary.

The modules, in the order in which a text passes through them:

- Numbers of a sentence: `lexer`, with `separators`, `number_pattern`, `number_words`,
  `number_phrases`, `money`, `currencies`, and `ranges` for those that belong together.
- Words about each number: `mentions`, with `lexicon` and `periods`; `clauses`, with `edges` and
  `pairs`, tells which words are about which number.
- Figures: `extract` makes a `Quantity` of each number and what `attributes` and `physical_units`
  read of it.
- Tables: `table_figures` makes the same of cells, with `barred_tables`, `column_heads` and
  `cell_units`.
- Comparison: `compare` decides whether one figure supports another, with `distinctions`, `facets`
  and `labels` for figures that are equal but not of the same thing.
- Checks of a summary: `verify`, with `passage_figures`, `passage_figure`, `entities`, `rivals`,
  `changes`, `table_claims` and `named_cells`; upon it `statements`, which matches facts, and `support`.
- Checks of an answer: `answers`, with `gold_answers`, `asked_quantity`, `expected`,
  `second_results`, `shown_figures`, `answer_words` and `answer_notation`.
- `num_prec` is a measure of ECTSum's authors, which compares bare numbers.
"""

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
