"""Whether one statement tells what another tells, by figures and words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..text.content_words import content_words
from .compare import compare
from .extract import extract_quantities
from .quantity import Quantity
from .verify import same_matter

ToldVerdict = Literal["stated", "contradicted", "missing"]

WORDS = 0.5
"""Share of content words that must be found where a statement has no figure."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with its figures, dates and years aside, and its content words."""

    text: str
    figures: tuple[Quantity, ...]
    words: frozenset[str]


class Told(NamedTuple):
    """What a search for a statement among others has shown."""

    verdict: ToldVerdict
    share: float
    """Share of its figures that the others have; of its words, where it has no figure."""

    place: int | None
    """Which of the others has most of it, or contradicts it."""


def read_statement(text: str) -> Statement:
    """Read a sentence."""
    figures = tuple(one for one in extract_quantities(text) if one.unit not in ("year", "date"))
    return Statement(text, figures, content_words(text.lower()))


def told(fact: Statement, said: Sequence[Statement]) -> Told:
    """Look for a fact in what was said.

    A fact with figures is `stated` when one of them at least is told in the
    same matter (see `compare`: rounded as what was said is written, nothing said
    against it), `contradicted` when none is and one is told otherwise. A fact
    without figures is stated when one statement has half of its content words.
    """
    return _search(fact, said, lambda own, other: _outcome(other, own))


def borne_out(claim: Statement, facts: Sequence[Statement]) -> Told:
    """Look for what bears a claim out.

    It is `stated` when at least half of its figures, or of its content words
    where it has none, are those of the facts.
    """
    found = _search(claim, facts, _outcome)
    if found.verdict == "stated" and found.share < WORDS:
        return _MISSING
    return found


_MISSING = Told("missing", 0.0, None)


def _search(
    own: Statement, others: Sequence[Statement], outcome: Callable[[Quantity, Quantity], str]
) -> Told:
    if not own.figures:
        return _by_words(own, others)
    supported: list[set[int]] = []
    against: int | None = None
    for place, other in enumerate(others):
        verdicts = [{outcome(figure, theirs) for theirs in other.figures} for figure in own.figures]
        supported.append({i for i, found in enumerate(verdicts) if "supported" in found})
        if against is None and any("contradicted" in found for found in verdicts):
            against = place
    covered = set().union(*supported)
    if covered:
        most = max(range(len(others)), key=lambda place: len(supported[place]))
        return Told("stated", len(covered) / len(own.figures), most)
    return _MISSING if against is None else Told("contradicted", 0.0, against)


def _by_words(own: Statement, others: Sequence[Statement]) -> Told:
    shares = [len(own.words & other.words) / max(len(own.words), 1) for other in others]
    most = max(range(len(others)), key=shares.__getitem__, default=None)
    if most is None or shares[most] < WORDS:
        return _MISSING
    return Told("stated", shares[most], most)


def _outcome(claim: Quantity, source: Quantity) -> str:
    return compare(claim, source).outcome if same_matter(claim, source) else "unrelated"
