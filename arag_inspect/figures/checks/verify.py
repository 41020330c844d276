"""Check the figures of a summary against the passages that were read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any, Literal

from ...text.content_words import content_stems
from ...text.layout import unwrap
from ..comparison.changes import with_compared_lengths, with_other_ends
from ..comparison.compare import Verdict, compare
from ..comparison.distinctions import Property
from ..computed.net_counts import is_net_count, mentions_net
from ..computed.statement import is_computed
from ..extract import extract_amounts
from ..quantity import Quantity
from ..tables.claims import RowVerdict, check_rows
from ..tables.column_heads import statement_words
from ..tables.rows import TableRow
from ..wording.labels import labels, metrics
from ..wording.topics import topic
from .passage_figure import PassageFigure
from .passage_index import PassageIndex, without_position

ClaimVerdict = Literal["supported", "contradicted", "unsettled", "not_found"]

_SHARED = 1 / 3
"""Share of a claim's content words that a matching sentence must have if no metric is known."""

_TELLING = 2
"""Fewest names of a figure that tell what it is of: one may be that of the company."""

_ROW = 3
"""Figures without a word between them that make a row of a table."""

_SMALL = 100
"""Counts below this are too common to match without shared words."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A figure of a summary and what the passages say about it."""

    figure: Quantity
    sentence: str
    """Sentence of the summary that has it; under `claim` in logs."""

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
            "claim": self.sentence,
            "source": self.source,
            "differs": list(self.differs),
        }


def verify_claims(summary: str, passages: Sequence[str]) -> list[CheckedClaim]:
    """Check every figure of a summary against the passages.

    A figure is `supported` when a sentence that names its metric has it and says nothing against
    it; if either metric is unknown or not beside its figure, also a sentence with exactly its value
    and unit. It is `contradicted` when such a sentence has it with another sign, direction, period,
    base of comparison, basis or status, negates what the other states, or has another figure in
    its place, or the same one in another scale. It is `unsettled` when the summary names the
    segment, region or company of other figures, and the sentence another one, or when the sentence
    of another figure names all that this one names of the claim, and at least two things more; when
    the summary says of a date what the sentence says of another one; also when only the summary
    says that the figure is adjusted, or only the sentence, and the passages have another figure on
    the other basis. A figure that the summary computes is supported when figures of one sentence,
    row or column that the summary names amount to it. Dates and years qualify claims and are no
    claims.

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
    figures = with_compared_lengths(with_other_ends(extract_amounts(summary)))
    for figure in figures:
        sentence = summary[figure.sentence.start : figure.sentence.end]
        key = (sentence, without_position(figure))
        if key not in checked:
            checked[key] = _check_computed(_check(figure, sentence, index), figures, index)
        claims.append(replace(checked[key], figure=figure))
    return claims


_INDEXING = Lock()


@lru_cache(maxsize=64)
def _index(passages: tuple[str, ...]) -> PassageIndex:
    """Read passages once for any number of summaries and scorers."""
    return PassageIndex(passages)


def _check_computed(
    checked: CheckedClaim, figures: Sequence[Quantity], index: PassageIndex
) -> CheckedClaim:
    """Return what holds for a figure that its statement computes: a difference, a share, a sum.

    Figures of one sentence, row or column support it. Others cannot contradict it, unless their
    sentence computes them too; nor can a count that is not net support one that is.
    """
    claim = checked.figure
    source = checked.source or ""
    is_net = is_net_count(claim, checked.sentence)
    is_gross_match = is_net and not mentions_net(source)
    if checked.verdict == "supported" and not is_gross_match:
        return checked
    computed_from = index.groups.source(claim, checked.sentence, figures)
    if computed_from:
        return replace(checked, verdict="supported", source=computed_from, differs=())
    if not (is_net or is_computed(checked.sentence)):
        return checked
    if checked.verdict in ("not_found", "unsettled") or is_computed(source):
        return checked
    return replace(checked, verdict="unsettled", differs=())


def _check(claim: Quantity, sentence: str, index: PassageIndex) -> CheckedClaim:
    """Check a figure against the tables, and against the prose unless a row supports it.

    Prose that supports it overrules a row that contradicts it, if it is about the same.
    """
    named = statement_words(sentence)
    about = statement_words(claim.wording.about)
    labelled = index.rows(claim, about) or index.rows(claim, named)
    in_named_block = [row for row in labelled if row.block and row.block <= named]
    of_metric = index.rows_of_metric(claim, about)
    row: RowVerdict | None = None
    rows: Sequence[TableRow] = ()
    named_most = 0
    for candidates in (in_named_block or labelled, of_metric, index.rows(claim, named)):
        rows = [row for row in candidates if len(row.words & about) >= named_most]
        row = check_rows(claim, sentence, rows)
        if row:
            break
        named_most = max([named_most, *(len(row.words & about) for row in rows)])
    in_table = index.cells.verdict(claim, sentence, row)
    if in_table and in_table.supported:
        return CheckedClaim(claim, sentence, "supported", in_table.row.line, in_table.differs)
    in_prose = _check_prose(claim, sentence, index)
    if in_table is None or (in_prose.verdict == "supported" and _names_row(in_prose, rows)):
        return in_prose
    return CheckedClaim(claim, sentence, "contradicted", in_table.row.line, in_table.differs)


def _names_row(checked: CheckedClaim, rows: Sequence[TableRow]) -> bool:
    """Return whether the sentence that supports a claim names all that claim and row have in common."""
    statement = statement_words(checked.sentence)
    source = statement_words(checked.source or "")
    stated = metrics(checked.sentence.lower())
    names = metrics((checked.source or "").lower())
    return any(row.bare & statement <= source and row.metrics & stated <= names for row in rows)


def _check_prose(claim: Quantity, sentence: str, index: PassageIndex) -> CheckedClaim:
    """Check a figure against the sentences: those with its quantity, then those on its subject."""
    matches = index.same_quantity(claim)
    decided = (
        _check_same_quantity(claim, sentence, matches, index)
        or _check_same_subject(claim, sentence, index)
        or _check_other_scales(claim, sentence, index)
    )
    if decided:
        return decided
    if not matches:
        return CheckedClaim(claim, sentence, "not_found")
    nearest = min(matches, key=lambda read: _distance(sentence, read.sentence))
    return CheckedClaim(claim, sentence, "unsettled", nearest.sentence)


def _check_same_quantity(
    claim: Quantity, sentence: str, matches: Sequence[PassageFigure], index: PassageIndex
) -> CheckedClaim | None:
    """Check a claim against the figure of its quantity that differs least, in the nearest sentence."""
    verdicts: list[tuple[PassageFigure, Verdict]] = []
    for read in matches:
        verdict = _compare(claim, sentence, read, index)
        is_exact = verdict.outcome == "supported" and _is_exact(claim, read.figure)
        if is_exact or same_subject(claim, read.figure) or _repeats(sentence, read.sentence):
            verdicts.append((read, verdict))
    if not verdicts:
        return None

    def difference(pair: tuple[PassageFigure, Verdict]) -> tuple[int, float]:
        read, verdict = pair
        return len(verdict.differs), _distance(sentence, read.sentence)

    read, verdict = min(verdicts, key=difference)
    if claim.status == "estimate" and verdict.outcome != "supported":
        return None
    if verdict.outcome == "supported" and _is_of_other_names(claim, sentence, read, index):
        return CheckedClaim(claim, sentence, "unsettled", read.sentence, ("subject",))
    period_is_unknown = verdict.differs == ("period",) and _is_row_of_figures(read.sentence)
    outcome: ClaimVerdict = "unsettled"
    if verdict.outcome != "unrelated" and not period_is_unknown:
        outcome = verdict.outcome
    return CheckedClaim(claim, sentence, outcome, read.sentence, verdict.differs)


def _is_of_other_names(
    claim: Quantity, sentence: str, read: PassageFigure, index: PassageIndex
) -> bool:
    """Return whether a change shares no name with a claim, and another of its sentence is the claim's."""
    names = _names(read.figure)
    is_of_another = len(names) >= _TELLING and _names(claim).isdisjoint(names)
    if not (claim.change and is_of_another):
        return False
    contradicting = _check_same_subject(claim, sentence, index)
    return (
        contradicting is not None
        and contradicting.verdict == "contradicted"
        and contradicting.source == read.sentence
    )


def _names(figure: Quantity) -> frozenset[str]:
    """Return the names in all words about a figure."""
    return labels(figure.wording.about)


def _repeats(sentence: str, source: str) -> bool:
    """Return whether a sentence has all words of another one: of "90 days or more", a label."""
    words = statement_words(source)
    return bool(words) and words <= statement_words(sentence)


def _is_row_of_figures(sentence: str) -> bool:
    """Return whether a sentence is a row of a table that was not read: several figures in a row."""
    figures_in_a_row = 0
    for word in sentence.split():
        if any(map(str.isdigit, word)):
            figures_in_a_row += 1
        elif any(map(str.isalpha, word)):
            figures_in_a_row = 0
        if figures_in_a_row == _ROW:
            return True
    return False


def _check_same_subject(claim: Quantity, sentence: str, index: PassageIndex) -> CheckedClaim | None:
    """Check a claim against other figures of its subject: a rounder one, or one in its place."""
    verdicts = [
        (read, compare(claim, read.figure))
        for read in index.comparable(claim)
        if not index.entities.differ(claim, sentence, read.figure, read.sentence)
    ]
    for read, verdict in verdicts:
        if "precision" in verdict.differs:
            return CheckedClaim(claim, sentence, "unsettled", read.sentence, verdict.differs)
    if claim.status == "estimate":
        return None
    for read, verdict in verdicts:
        if verdict.outcome == "contradicted":
            return CheckedClaim(claim, sentence, "contradicted", read.sentence, verdict.differs)
    return None


def _check_other_scales(claim: Quantity, sentence: str, index: PassageIndex) -> CheckedClaim | None:
    """Check whether a claim would be supported in another scale, as millions for billions."""
    for rescaled, read in index.in_other_scales(claim):
        if _compare(rescaled, sentence, read, index).outcome == "supported":
            return CheckedClaim(claim, sentence, "contradicted", read.sentence, ("value",))
    return None


def _compare(claim: Quantity, sentence: str, read: PassageFigure, index: PassageIndex) -> Verdict:
    """Compare a claim with a figure, also by the names of what they and other figures are of."""
    verdict = compare(claim, read.figure)
    if verdict.outcome != "supported":
        return verdict
    is_of_another = index.entities.differ(
        claim, sentence, read.figure, read.sentence
    ) or index.rivals.fit_better(claim, read)
    if is_of_another:
        return Verdict("unrelated", ("subject",))
    if index.rivals.differ_in_basis(claim, read):
        return Verdict("unrelated", ("basis",))
    return verdict


def _shared_words(claim: Quantity, source: Quantity) -> float:
    """Return the share of a claim's content words that the sentence of another figure has."""
    of_claim, of_source = claim.wording.content, source.wording.content
    return len(of_claim & of_source) / len(of_claim) if of_claim else 0.0


def _distance(sentence: str, source: str) -> float:
    """Return the share of the words and numbers of two sentences that only one has."""
    mine = content_stems(sentence)
    theirs = content_stems(source)
    return len(mine ^ theirs) / max(len(mine | theirs), 1)


def _is_exact(claim: Quantity, source: Quantity) -> bool:
    """Return whether value and unit suffice for a match without shared words.

    Two amounts beside the names of their metrics never do, nor does a part: "of which $5 million".
    """
    is_small_count = claim.unit == "count" and claim.value_high is None and claim.amount < _SMALL
    are_money = {claim.unit, source.unit} == {"currency", "per_share"}
    return (
        claim.value == source.value
        and claim.value_high == source.value_high
        and (claim.unit == source.unit or are_money)
        and not (claim.wording.named and source.wording.named)
        and not is_small_count
        and not source.wording.before.endswith("of which ")
        and not _are_of_other_topics(claim, source)
    )


def _are_of_other_topics(claim: Quantity, source: Quantity) -> bool:
    """Return whether two figures are of subjects that have no word in common with the other sentence."""
    of_claim = topic(claim.wording.before)
    of_source = topic(source.wording.before)
    if not (of_claim and of_source):
        return False
    named_by_claim = labels(claim.wording.about)
    named_by_source = labels(source.wording.about)
    return of_claim.isdisjoint(named_by_source) and of_source.isdisjoint(named_by_claim)


def same_subject(claim: Quantity, source: Quantity) -> bool:
    """Return whether two figures share a metric or, if one is unknown, enough words."""
    if claim.metric is not None and source.metric is not None:
        about = metrics(source.wording.about)
        return claim.metric in about or _is_same_metric(claim.metric, source.metric)
    return not claim.wording.content or _shared_words(claim, source) >= _SHARED


def _is_same_metric(claim: str, source: str) -> bool:
    """Return whether two metrics are the same, or one is the other by a wider name."""
    if claim == source:
        return True
    names = {claim, source}
    are_margins = claim.endswith("margin") and source.endswith("margin")
    return (are_margins and "margin" in names) or names == {"organic growth", "revenue"}
