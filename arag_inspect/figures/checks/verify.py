"""Check the figures of a summary against the passages that were read."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from threading import Lock

from ...text.layout import unwrap
from ..comparison.changes import with_compared_lengths, with_other_ends
from ..computed.net_counts import is_net_count, mentions_net
from ..computed.statement import is_computed
from ..extract import extract_amounts
from ..quantity import Quantity
from ..tables.claims import RowVerdict, check_rows
from ..tables.column_heads import statement_words
from ..tables.rows import TableRow
from ..wording.labels import metrics
from .checked_claim import CheckedClaim
from .passage_index import PassageIndex, without_position
from .prose import ProseCheck


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
    of_label, rows = _check_tables(claim, sentence, index)
    in_table = index.cells.verdict(claim, sentence, of_label)
    if in_table is None:
        return ProseCheck(claim, sentence, index).run()
    line, differs = in_table.row.line, in_table.differs
    if in_table.supported:
        return CheckedClaim(claim, sentence, "supported", line, differs)
    in_prose = ProseCheck(claim, sentence, index).run()
    if in_prose.verdict == "supported" and _names_row(in_prose, rows):
        return in_prose
    return CheckedClaim(claim, sentence, "contradicted", line, differs)


def _check_tables(
    claim: Quantity, sentence: str, index: PassageIndex
) -> tuple[RowVerdict | None, Sequence[TableRow]]:
    """Check a figure against rows whose labels its sentence names, then those of its metric.

    Rows decide nothing if the words about the figure name less of them than of rows before.

    Returns:
        The first verdict, and the rows that were checked last.
    """
    named = statement_words(sentence)
    about = statement_words(claim.wording.about)
    labelled = index.rows(claim, about) or index.rows(claim, named)
    in_named_block = [row for row in labelled if row.block and row.block <= named]
    of_metric = index.rows_of_metric(claim, about)
    rows: Sequence[TableRow] = ()
    named_most = 0
    for candidates in (in_named_block or labelled, of_metric, index.rows(claim, named)):
        rows = [row for row in candidates if len(row.words & about) >= named_most]
        verdict = check_rows(claim, sentence, rows)
        if verdict:
            return verdict, rows
        named_most = max([named_most, *(len(row.words & about) for row in rows)])
    return None, rows


def _names_row(checked: CheckedClaim, rows: Sequence[TableRow]) -> bool:
    """Return whether the sentence that supports a claim names all that claim and row have in common."""
    statement = statement_words(checked.sentence)
    source = statement_words(checked.source or "")
    stated = metrics(checked.sentence.lower())
    names = metrics((checked.source or "").lower())
    return any(row.bare & statement <= source and row.metrics & stated <= names for row in rows)
