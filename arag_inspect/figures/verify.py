"""Check the figures of a summary against the passages that were read."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any, Literal

from ..text.content_words import content_stems
from ..text.layout import unwrap
from ..text.sentences import Span
from .changes import contrary_moves, stated_changes
from .clauses import metrics
from .column_heads import statement_words
from .compare import Verdict, compare, same_quantity, subject, tolerance
from .distinctions import Property
from .entities import Entities
from .extract import check_numbers, extract_amounts
from .facets import read_facets
from .quantity import Quantity
from .table_claims import check_rows
from .table_figures import TableRow, read_tables

ClaimVerdict = Literal["supported", "contradicted", "unsettled", "not_found"]

_SHARED = 1 / 3
"""Share of a claim's content words that a matching sentence must have if no metric is known."""

_MOST = 50_000
"""Numbers of the passages; a filing of 300 pages has about 10,000, read in a second."""

_MOST_ALIKE = 100
"""Figures of one quantity that a claim is compared with."""

_NEAREST = 20
"""Figures of its subject below and above a claim that it is compared with."""

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


@dataclass(frozen=True, slots=True)
class _Read:
    """A figure of a passage with its sentence."""

    figure: Quantity
    sentence: str


class _Index:
    """Figures of all passages, by amount and by subject."""

    def __init__(self, passages: Sequence[str]) -> None:
        seen: set[tuple[str, Quantity]] = set()
        self._by_dimension: dict[str, list[_Read]] = defaultdict(list)
        self._by_subject: dict[Hashable, list[_Read]] = defaultdict(list)
        check_numbers(passages, _MOST)
        self._rows: dict[str, list[TableRow]] = defaultdict(list)
        self._by_metric: dict[str, list[TableRow]] = defaultdict(list)
        for passage in map(unwrap, passages):
            rows, prose = read_tables(passage)
            for row in rows:
                self._rows[min(row.label)].append(row)
                if row.metric:
                    self._by_metric[row.metric].append(row)
            figures = extract_amounts(prose)
            for figure in [*figures, *stated_changes(figures)]:
                sentence = passage[figure.sentence.start : figure.sentence.end]
                key = (sentence, _without_position(figure))
                if key in seen:
                    continue
                seen.add(key)
                self._add(_Read(figure, sentence))
        for reads in (*self._by_dimension.values(), *self._by_subject.values()):
            reads.sort(key=_size)
        reads = [read for reads in self._by_dimension.values() for read in reads]
        self._unadjusted = {
            (read.figure.metric, read.figure.change)
            for read in reads
            if read.figure.metric and read.figure.basis == "gaap"
        }
        self.entities = Entities([(read.figure, read.sentence) for read in reads])

    def rows(self, words: frozenset[str]) -> list[TableRow]:
        """Return the rows of tables whose label some words name, the longest labels only."""
        named = [row for word in words for row in self._rows.get(word, ()) if row.label <= words]
        longest = max((len(row.label) for row in named), default=0)
        return [row for row in named if len(row.label) == longest]

    def rows_of_metric(self, claim: Quantity) -> list[TableRow]:
        """Return the rows whose label is the metric of a claim, perhaps in other words."""
        rows = self._by_metric.get(claim.metric or "", ())
        return [row for row in rows if claim.qualifiers <= row.label]

    def _add(self, read: _Read) -> None:
        self._by_dimension[read.figure.dimension].append(read)
        if read.figure.metric is not None and not read.figure.derived:
            self._by_subject[subject(read.figure)].append(read)

    def same_quantity(self, claim: Quantity) -> list[_Read]:
        """Return the figures with the quantity of the claim; of very many the first."""
        margin = tolerance(claim, claim.amount, claim.step)
        matches: list[_Read] = []
        for reads in self._by_dimension.values():
            low = bisect_left(reads, abs(claim.amount) - margin, key=_size)
            high = bisect_right(reads, abs(claim.amount) + margin, key=_size)
            near = reads[low : min(high, low + _MOST_ALIKE)]
            matches += [read for read in near if same_quantity(claim, read.figure)]
        return matches

    def omits_basis(self, claim: Quantity, source: Quantity) -> bool:
        """Return whether a claim leaves out that a figure is adjusted where others of it are not."""
        if claim.basis is not None or source.basis != "adjusted":
            return False
        return (source.metric, source.change) in self._unadjusted

    def excludes_as_another(self, claim: Quantity, source: Quantity) -> bool:
        """Return whether a claim excludes items as another figure of its metric does, not its source."""
        if not claim.metric or not _excludes(claim) or _excludes(source):
            return False
        others = (read.figure for read in self._by_dimension[source.dimension])
        return any(
            other.metric == claim.metric
            and other.change == claim.change
            and abs(other.amount) != abs(source.amount)
            and _excludes(other)
            for other in others
        )

    def comparable(self, claim: Quantity) -> list[_Read]:
        """Return the figures of the claim's subject that are nearest to it in size."""
        reads = self._by_subject.get(subject(claim), [])
        middle = bisect_left(reads, abs(claim.amount), key=_size)
        return reads[max(0, middle - _NEAREST) : middle + _NEAREST]


def verify_claims(summary: str, passages: Sequence[str]) -> list[CheckedClaim]:
    """Check every figure of a summary against the passages.

    A figure is `supported` when a sentence that names its metric has it and says nothing against
    it; if either metric is unknown or not beside its figure, also a sentence with exactly its value
    and unit. It is `contradicted` when such a sentence has it with another sign, direction, period,
    base of comparison, basis or status, negates what the other states, or has another figure in
    its place, or when the summary's own comparison denies its direction. It is `unsettled` when the
    summary names the segment, region or company of other figures, and the sentence another one, or
    when it leaves out that the figure is adjusted although others of its metric are not. Dates and
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
    end = 0
    for figure in figures:
        sentence = summary[figure.sentence.start : figure.sentence.end]
        key = (sentence, _without_position(figure))
        if key not in checked:
            lead = summary[max(figure.sentence.start, end) : figure.span.start]
            checked[key] = _check(figure, sentence, lead, index)
        end = figure.span.end
        claim = replace(checked[key], figure=figure)
        if figure.span in contrary and claim.verdict == "supported":
            claim = replace(claim, verdict="contradicted", differs=("direction",))
        claims.append(claim)
    return claims


_INDEXING = Lock()
_NOWHERE = Span(0, 0)


@lru_cache(maxsize=64)
def _index(passages: tuple[str, ...]) -> _Index:
    """Read passages once for any number of summaries and scorers."""
    return _Index(passages)


def _check(claim: Quantity, sentence: str, lead: str, index: _Index) -> CheckedClaim:
    named = statement_words(sentence)
    rows = index.rows(statement_words(lead)) or index.rows(named) or index.rows_of_metric(claim)
    blocks = [row for row in rows if row.block and row.block <= named]
    row = check_rows(claim, sentence, blocks or rows)
    in_table = row and CheckedClaim(
        claim, sentence, "supported" if row.supported else "contradicted", row.line, row.differs
    )
    if in_table is None or in_table.verdict != "supported":
        in_prose = _check_prose(claim, sentence, index)
        is_named = in_table and statement_words(in_prose.source or "") >= rows[0].label
        if in_table is None or (in_prose.verdict == "supported" and is_named):
            return in_prose
    return in_table


def _check_prose(claim: Quantity, sentence: str, index: _Index) -> CheckedClaim:
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
    if not matches:
        return CheckedClaim(claim, sentence, "not_found")
    nearest = min(matches, key=lambda read: _distance(sentence, read.sentence))
    return CheckedClaim(claim, sentence, "unsettled", nearest.sentence)


def _compare(claim: Quantity, sentence: str, read: _Read, index: _Index) -> Verdict:
    """Compare a claim with a figure, also by the names of what the two are of."""
    verdict = compare(claim, read.figure)
    if verdict.outcome != "supported":
        return verdict
    if index.entities.differ(claim, sentence, read.figure, read.sentence):
        return Verdict("unrelated", ("subject",))
    if index.omits_basis(claim, read.figure):
        return Verdict("unrelated", ("basis",))
    if index.excludes_as_another(claim, read.figure):
        return Verdict("unrelated", ("facet",))
    return verdict


def _excludes(figure: Quantity) -> bool:
    return read_facets("", figure.alone, figure.shared).get("items") == "excluding"


def _without_position(figure: Quantity) -> Quantity:
    """Return a figure without its position, so that repeated ones are equal."""
    return replace(figure, span=_NOWHERE, sentence=_NOWHERE)


def _size(read: _Read) -> float:
    return abs(read.figure.amount)


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
