"""Whether one statement contains another, by figures and words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..text.content_words import content_words
from .compare import compare
from .extract import extract_amounts
from .quantity import Quantity
from .verify import same_subject

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
    """Position of the statement with the largest share, or of the one that contradicts it."""


def read_statement(text: str) -> Statement:
    """Read a sentence."""
    return Statement(text, tuple(extract_amounts(text)), content_words(text.lower()))


def match_fact(fact: Statement, candidates: Sequence[Statement]) -> StatementMatch:
    """Look for a fact among the statements of a text.

    A fact with figures is `stated` when a statement gives at least one of them for
    the same metric (rounded like that statement, nothing against it, see
    `compare`), and `contradicted` when none is stated and one is given differently.
    A fact without figures is stated when one statement has half of its content words.
    """
    return _search(fact, candidates, lambda own, other: _outcome(other, own))


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
    own: Statement, others: Sequence[Statement], outcome: Callable[[Quantity, Quantity], str]
) -> StatementMatch:
    if not own.figures:
        return _by_words(own, others)
    supported: list[set[int]] = []
    against: int | None = None
    for position, other in enumerate(others):
        verdicts = [
            {outcome(figure, candidate) for candidate in other.figures} for figure in own.figures
        ]
        supported.append({i for i, outcomes in enumerate(verdicts) if "supported" in outcomes})
        if against is None and any("contradicted" in outcomes for outcomes in verdicts):
            against = position
    covered = set().union(*supported)
    if covered:
        most = max(range(len(others)), key=lambda position: len(supported[position]))
        return StatementMatch("stated", len(covered) / len(own.figures), most)
    return _MISSING if against is None else StatementMatch("contradicted", 0.0, against)


def _by_words(own: Statement, others: Sequence[Statement]) -> StatementMatch:
    shares = [len(own.words & other.words) / max(len(own.words), 1) for other in others]
    most = max(range(len(others)), key=shares.__getitem__, default=None)
    if most is None or shares[most] < WORDS:
        return _MISSING
    return StatementMatch("stated", shares[most], most)


def _outcome(claim: Quantity, source: Quantity) -> str:
    return compare(claim, source).outcome if same_subject(claim, source) else "unrelated"
