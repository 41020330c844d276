"""Compare statements by their figures, or by their words if they have none: facts with claims."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from ...text.content_words import content_words
from ...text.layout import unwrap
from ..attributes.denial import negated_words
from ..comparison.compare import Outcome, compare
from ..extract import extract_amounts
from ..lexicon import NEGATION
from ..quantity import Quantity
from ..tables.rows import read_tables
from ..wording.verbs import stems_of
from .entities import Entities
from .stated_figures import PassageFigure
from .subjects import same_subject
from .times import are_at_other_times, without_times

MatchVerdict = Literal["stated", "contradicted", "missing"]

WORDS = 0.5
"""Share of content words that must match if a statement has no figure."""

_SAME_WORDS = 0.8
"""Share of its words, except for times, with which a statement that disagrees contradicts it."""

_FEWEST_WORDS = 2
"""Minimum words, excluding times, that a fact needs to be contradicted."""


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


def entities_of(facts: Sequence[Statement]) -> Entities:
    """Return the names beside the figures of facts, for `match_fact`."""
    return Entities([PassageFigure(figure, fact.text) for fact in facts for figure in fact.figures])


def match_fact(
    fact: Statement, candidates: Sequence[Statement], entities: Entities | None = None
) -> StatementMatch:
    """Look for a fact among the statements of a text.

    - A fact with figures is `stated` when a statement supports at least one of them for the same
      metric (see `compare`; the statement may be the rounder of the two). It is `contradicted`
      when none is supported and one is contradicted.
    - A fact that is a figure alone is stated with any metric.
    - A fact without figures is stated when one statement has half of its content words, is not of
      another time (year, quarter or half, month or day) and negates nothing that the fact affirms,
      or the reverse. A statement that disagrees contradicts it if it has nearly all of its words.

    Args:
        fact: The fact.
        candidates: Statements of the text.
        entities: The names beside the figures of all facts. With these, a statement that gives a
            figure to another segment or company of the facts does not state the fact.
    """
    return _search(fact, candidates, _outcome_of_fact, entities)


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
    fact: Statement,
    others: Sequence[Statement],
    outcome: Callable[[Quantity, Quantity], Outcome],
    entities: Entities | None = None,
) -> StatementMatch:
    """Look for the figures of a statement among the figures of others."""
    if not fact.figures:
        return _by_words(fact, others)
    supported: list[set[int]] = []
    contradicting: list[int] = []
    for position, other in enumerate(others):
        outcomes = _outcomes(fact, other, outcome, entities)
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
    fact: Statement,
    other: Statement,
    outcome: Callable[[Quantity, Quantity], Outcome],
    entities: Entities | None,
) -> list[set[Outcome]]:
    """Return for every figure of a statement its outcomes with the figures of another."""
    outcomes = []
    for figure in fact.figures:
        of_fact = PassageFigure(figure, fact.text)
        of_figure = set[Outcome]()
        for candidate in other.figures:
            result = outcome(figure, candidate)
            of_statement = PassageFigure(candidate, other.text)
            if result == "supported" and entities and entities.differ(of_statement, of_fact):
                result = "unrelated"
            of_figure.add(result)
        outcomes.append(of_figure)
    return outcomes


def _by_words(fact: Statement, others: Sequence[Statement]) -> StatementMatch:
    """Look for a statement without figures by its words."""
    shares = [_shared_words(fact.words, other) for other in others]
    alike = [position for position, share in enumerate(shares) if share >= WORDS]
    agreeing = [position for position in alike if not _disagrees(fact, others[position])]
    if agreeing:
        most = max(agreeing, key=shares.__getitem__)
        return StatementMatch("stated", shares[most], most)
    words = content_words(without_times(fact.text))
    for position in alike if len(words) >= _FEWEST_WORDS else ():
        if _shared_words(words, others[position]) >= _SAME_WORDS:
            return StatementMatch("contradicted", 0.0, position)
    return _MISSING


def _shared_words(words: frozenset[str], other: Statement) -> float:
    """Return the share of some words that a statement has."""
    return len(words & other.words) / max(len(words), 1)


def _disagrees(fact: Statement, other: Statement) -> bool:
    """Return whether a statement is of another time, or negates what the other one affirms."""
    return are_at_other_times(fact.text, other.text) or _denies(fact, other) or _denies(other, fact)


def _denies(statement: Statement, affirming: Statement) -> bool:
    """Return whether a statement negates words of another one, which negates nothing."""
    negated = negated_words(statement.text.lower())
    if not negated or NEGATION.search(affirming.text) or negated_words(affirming.text.lower()):
        return False
    return not negated.isdisjoint(stems_of(affirming.words))


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
