"""Check the figures of a summary against the passages that were read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any, Literal

from ..text.content_words import content_stems
from ..text.layout import unwrap
from .changes import contrary_moves
from .clauses import metrics
from .column_heads import statement_words
from .compare import Verdict, compare
from .distinctions import Property
from .extract import extract_amounts
from .passage_figures import PassageIndex, without_position
from .quantity import Quantity
from .rivals import PassageFigure
from .table_claims import check_rows
from .table_figures import TableRow

ClaimVerdict = Literal["supported", "contradicted", "unsettled", "not_found"]

_SHARED = 1 / 3
"""Share of a claim's content words that a matching sentence must have if no metric is known."""

_SMALL = 100
"""Counts below this are too common to match without shared words."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A figure of a summary and what the passages say about it."""

    figure: Quantity
    claim: str
    """Sentence of the summary."""

    verdict: ClaimVerdict
    """`supported`; `contradicted`; `unsettled`: the figure occurs, but not clearly for the
    same metric; `not_found`: it occurs nowhere in any unit."""

    source: str | None = None
    """Sentence that decides, or the nearest one."""

    differs: tuple[Property, ...] = ()
    """Properties in which that sentence differs from the claim, the most telling first."""

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {
            "verdict": self.verdict,
            "figure": self.figure.as_dict(),
            "claim": self.claim,
            "source": self.source,
            "differs": list(self.differs),
        }


def verify_claims(summary: str, passages: Sequence[str]) -> list[CheckedClaim]:
    """Check every figure of a summary against the passages.

    A figure is `supported` when a sentence that names its metric has it and says nothing against
    it; if either metric is unknown or not beside its figure, also a sentence with exactly its value
    and unit. It is `contradicted` when such a sentence has it with another sign, direction, period,
    base of comparison, basis or status, negates what the other states, or has another figure in
    its place, or the same one in another scale, or when the summary's own comparison denies its
    direction. It is `unsettled` when the summary names the segment, region or company of other
    figures, and the sentence another one, or when it leaves out that the figure is adjusted although others of its metric are not. Dates and
    years qualify claims and are no claims.

    Args:
        summary: Text to check.
        passages: Texts to check against.

    Returns:
        One entry per figure, in the order of the summary; positions are those in the summary with
        its wrapped lines joined.

    Raises:
        TextTooLongError: The passages hold more than 50,000 numbers.
    """
    with _INDEXING:  # otherwise concurrent samples of one document would all read it
        index = _index(tuple(passages))
    summary = unwrap(summary)
    checked: dict[tuple[str, Quantity], CheckedClaim] = {}
    claims = []
    figures = extract_amounts(summary)
    contrary = {figure.span for figure in contrary_moves(summary, figures)}
    for figure in figures:
        sentence = summary[figure.sentence.start : figure.sentence.end]
        key = (sentence, without_position(figure))
        if key not in checked:
            checked[key] = _check(figure, sentence, index)
        claim = replace(checked[key], figure=figure)
        if figure.span in contrary and claim.verdict == "supported":
            claim = replace(claim, verdict="contradicted", differs=("direction",))
        claims.append(claim)
    return claims


_INDEXING = Lock()


@lru_cache(maxsize=64)
def _index(passages: tuple[str, ...]) -> PassageIndex:
    """Read passages once for any number of summaries and scorers."""
    return PassageIndex(passages)


def _check(claim: Quantity, sentence: str, index: PassageIndex) -> CheckedClaim:
    named = statement_words(sentence)
    about = statement_words(f"{claim.shared} {claim.alone}")
    rows = index.rows(about) or index.rows(named) or index.rows_of_metric(claim, about)
    blocks = [row for row in rows if row.block and row.block <= named]
    row = check_rows(claim, sentence, blocks or rows)
    in_table = row and CheckedClaim(
        claim, sentence, "supported" if row.supported else "contradicted", row.line, row.differs
    )
    if in_table is None or in_table.verdict != "supported":
        in_prose = _check_prose(claim, sentence, index)
        if in_table is None or (in_prose.verdict == "supported" and _names(in_prose.source, rows)):
            return in_prose
    return in_table


def _names(source: str | None, rows: Sequence[TableRow]) -> bool:
    """Return whether a sentence names what the label of a row does."""
    words, named = statement_words(source or ""), metrics((source or "").lower())
    return any(row.bare <= words and row.metrics <= named for row in rows)


def _check_prose(claim: Quantity, sentence: str, index: PassageIndex) -> CheckedClaim:
    matches = index.same_quantity(claim)
    verdicts = [
        (read, verdict)
        for read in matches
        for verdict in [_compare(claim, sentence, read, index)]
        if same_subject(claim, read.figure)
        or (verdict.outcome == "supported" and _exact(claim, read.figure))
    ]
    verdicts.sort(key=lambda pair: (len(pair[1].differs), _distance(sentence, pair[0].sentence)))
    if verdicts and (verdicts[0][1].outcome == "supported" or claim.status != "estimate"):
        read, verdict = verdicts[0]
        outcome: ClaimVerdict = "unsettled" if verdict.outcome == "unrelated" else verdict.outcome
        return CheckedClaim(claim, sentence, outcome, read.sentence, verdict.differs)
    others = [
        (read, compare(claim, read.figure))
        for read in index.comparable(claim)
        if not index.entities.differ(claim, sentence, read.figure, read.sentence)
    ]
    for read, verdict in others:
        if "precision" in verdict.differs:
            return CheckedClaim(claim, sentence, "unsettled", read.sentence, verdict.differs)
    for read, verdict in others if claim.status != "estimate" else ():
        if verdict.outcome == "contradicted":
            return CheckedClaim(claim, sentence, "contradicted", read.sentence, verdict.differs)
    for figure, read in index.in_other_scales(claim):
        if _compare(figure, sentence, read, index).outcome == "supported":
            return CheckedClaim(claim, sentence, "contradicted", read.sentence, ("value",))
    if not matches:
        return CheckedClaim(claim, sentence, "not_found")
    nearest = min(matches, key=lambda read: _distance(sentence, read.sentence))
    return CheckedClaim(claim, sentence, "unsettled", nearest.sentence)


def _compare(claim: Quantity, sentence: str, read: PassageFigure, index: PassageIndex) -> Verdict:
    """Compare a claim with a figure, also by the names of what the two are of."""
    verdict = compare(claim, read.figure)
    if verdict.outcome != "supported":
        return verdict
    if index.entities.differ(claim, sentence, read.figure, read.sentence):
        return Verdict("unrelated", ("subject",))
    differs = index.rivals.difference(claim, sentence, read)
    return Verdict("unrelated", (differs,)) if differs else verdict


def _shared(claim: Quantity, source: Quantity) -> float:
    return len(claim.words & source.words) / len(claim.words) if claim.words else 0.0


def _distance(sentence: str, source: str) -> float:
    """Return the share of the words and numbers of two sentences that only one has."""
    mine, theirs = content_stems(sentence), content_stems(source)
    return len(mine ^ theirs) / max(len(mine | theirs), 1)


def _exact(claim: Quantity, source: Quantity) -> bool:
    """Return whether value and unit suffice for a match without shared words.

    Two amounts beside the names of their metrics never do.
    """
    small_count = claim.unit == "count" and claim.value_high is None and claim.amount < _SMALL
    return (
        claim.value == source.value
        and claim.value_high == source.value_high
        and (claim.unit == source.unit or {claim.unit, source.unit} == {"currency", "per_share"})
        and not (claim.named and source.named)
        and not small_count
    )


def same_subject(claim: Quantity, source: Quantity) -> bool:
    """Return whether two figures share a metric or, if one is unknown, enough words."""
    if claim.metric is not None and source.metric is not None:
        about = metrics(f"{source.alone} {source.shared}")
        return claim.metric in about or _is_same_metric(claim.metric, source.metric)
    return _shared(claim, source) >= _SHARED or not claim.words


def _is_same_metric(claim: str, source: str) -> bool:
    """Return whether two metrics are the same, or one is the other by a wider name."""
    names = {claim, source}
    margins = claim.endswith("margin") and source.endswith("margin")
    return (
        len(names) == 1 or (margins and "margin" in names) or names == {"organic growth", "revenue"}
    )
