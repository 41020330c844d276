"""Compare statements by their figures, or by their words if they have none: facts with claims."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from ...text.content_words import content_words
from ...text.layout import unwrap
from ..comparison.compare import Outcome, compare
from ..extract import extract_amounts
from ..periods import find_periods, short_years
from ..quantity import Quantity
from ..tables.rows import read_tables
from .subjects import same_subject

MatchVerdict = Literal["stated", "contradicted", "missing"]

WORDS = 0.5
"""Share of content words that must match if a statement has no figure."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with its content words and its figures (without dates and years)."""

    text: str
    figures: tuple[Quantity, ...]
    words: frozenset[str]


class StatementMatch(NamedTuple):
    """Result of looking for a statement among others."""

    verdict: MatchVerdict
    share: float
    """Share of its figures that the others have; of its words if it has no figure."""

    position: int | None
    """Position of the statement with the largest share, or of the contradicting statement."""


def read_statement(text: str) -> Statement:
    """Read a sentence."""
    return Statement(text, tuple(extract_amounts(text)), content_words(text.lower()))


def read_statements(text: str) -> list[Statement]:
    """Read the rows of tables and the sentences of a text that have figures."""
    rows, prose = read_tables(unwrap(text))
    statements = []
    for row in rows:
        figures = tuple(cell.figure for cell in row.cells)
        statements.append(Statement(row.line, figures, row.label))
    for span, of_sentence in groupby(extract_amounts(prose), key=lambda figure: figure.sentence):
        sentence = prose[span.start : span.end]
        words = content_words(sentence.lower())
        statements.append(Statement(sentence, tuple(of_sentence), words))
    return statements


def match_fact(fact: Statement, candidates: Sequence[Statement]) -> StatementMatch:
    """Look for a fact among the statements of a text.

    - A fact with figures is `stated` when a statement supports at least one of them for the same
      metric (see `compare`; the statement may be the rounder of the two). It is `contradicted`
      when none is supported and one is contradicted.
    - A fact that is a figure alone is stated with any metric.
    - A fact without figures is stated when one statement has half of its content words and names
      no other year.
    """
    return _search(fact, candidates, _outcome_of_fact)


def match_claim(claim: Statement, facts: Sequence[Statement]) -> StatementMatch:
    """Look for the facts that support a claim.

    It is `stated` when the facts have at least half of its figures, or of its content
    words if it has no figure.
    """
    match = _search(claim, facts, _outcome)
    if match.verdict == "stated" and match.share < WORDS:
        return _MISSING
    return match


_MISSING = StatementMatch("missing", 0.0, None)


def _search(
    fact: Statement, others: Sequence[Statement], outcome: Callable[[Quantity, Quantity], Outcome]
) -> StatementMatch:
    """Look for the figures of a statement among the figures of others."""
    if not fact.figures:
        return _by_words(fact, others)
    supported: list[set[int]] = []
    contradicting: list[int] = []
    for position, other in enumerate(others):
        outcomes = _outcomes(fact, other, outcome)
        supported.append(
            {index for index, of_figure in enumerate(outcomes) if "supported" in of_figure}
        )
        if any("contradicted" in of_figure for of_figure in outcomes):
            contradicting.append(position)
    covered = set[int]().union(*supported)
    if covered:
        most = max(range(len(others)), key=lambda position: len(supported[position]))
        return StatementMatch("stated", len(covered) / len(fact.figures), most)
    if contradicting:
        return StatementMatch("contradicted", 0.0, contradicting[0])
    return _MISSING


def _outcomes(
    fact: Statement, other: Statement, outcome: Callable[[Quantity, Quantity], Outcome]
) -> list[set[Outcome]]:
    """Return for every figure of a statement its outcomes with the figures of another."""
    outcomes = []
    for figure in fact.figures:
        outcomes.append({outcome(figure, candidate) for candidate in other.figures})
    return outcomes


def _by_words(fact: Statement, others: Sequence[Statement]) -> StatementMatch:
    """Look for a statement without figures by its words."""
    years = _years(fact)
    shares = [
        0.0 if _are_different(years, _years(other)) else _shared_words(fact, other)
        for other in others
    ]
    most = max(range(len(others)), key=shares.__getitem__, default=None)
    if most is None or shares[most] < WORDS:
        return _MISSING
    return StatementMatch("stated", shares[most], most)


def _shared_words(fact: Statement, other: Statement) -> float:
    """Return the share of the content words of a fact that another statement has."""
    return len(fact.words & other.words) / max(len(fact.words), 1)


def _years(statement: Statement) -> set[int]:
    """Return the years that a statement mentions."""
    years = {mention.period.year for mention in find_periods(statement.text)}
    return short_years(statement.text) | {year for year in years if year is not None}


def _are_different(years: set[int], others: set[int]) -> bool:
    """Return whether two statements mention different years."""
    return bool(years and others) and years.isdisjoint(others)


def _outcome(claim: Quantity, source: Quantity) -> Outcome:
    """Return whether a figure supports or contradicts a claimed figure of the same subject."""
    return compare(claim, source).outcome if same_subject(claim, source) else "unrelated"


def _outcome_of_fact(fact: Quantity, statement: Quantity) -> Outcome:
    """Return the outcome of a statement about a fact: it is the statement that is rounded.

    A fact that is a figure alone, such as a task's target of `48,500`, fits any subject.
    """
    is_bare = not fact.wording.content and fact.metric is None
    if is_bare and compare(statement, fact).outcome == "supported":
        return "supported"
    return _outcome(statement, fact)
