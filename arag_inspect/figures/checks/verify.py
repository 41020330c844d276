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
from .antecedents import Antecedents
from .passage_index import PassageIndex, without_position
from .prose import ProseCheck
from .stated_figures import CheckedClaim, PassageFigure


def verify_claims(
    summary: str, passages: Sequence[str], documents: Sequence[str] = ()
) -> list[CheckedClaim]:
    """Check every figure of a summary against the passages.

    A sentence or a row is a source of a figure when it mentions the figure's metric. When either
    metric is unknown, or is not beside its figure, the source has to have exactly the
    figure's value and unit. Dates and years qualify figures and are not checked themselves.

    `supported`:

    - A source has the figure, perhaps less rounded, and says nothing against it: "Revenue was
      $1.2 billion" by "Revenue was $1,234 million."
    - The summary computes the figure, and names the figures of one sentence, row or column that
      amount to it: "Revenue rose $1 million" by "Revenue was $5 million, up from $4 million." A
      part and its whole may be in different sentences nearby: "Books made up 40% of revenue" by
      "Revenue was $5 million. Books brought in $2 million."

    `contradicted`:

    - The source has it with another sign, direction, period, base of comparison, basis or status:
      "Revenue rose 3%" by "Revenue fell 3%." Or only one of the two negates it.
    - The source has another figure in its place: "Revenue was $5 million" by "Revenue was $4
      million."
    - The source has it in another scale: "Revenue was $5 billion" by "Revenue was $5 million."

    `unsettled`:

    - The source mentions another segment, region or company, perhaps in the sentence before or the
      heading, and the passages have other figures of the one that the summary names: "Sales in
      Europe rose 5%" by "Asia did well. Its sales rose 5%. Sales in Europe rose 3%."
    - The source is of a segment or region, and the summary of the whole company: "Total revenue
      rose 5%" by "Revenue in Asia rose 5%. Total revenue rose 3%."
    - The passages have another figure with every name that source and summary share, and with at
      least two more names of the summary: "Frozen pizza sales in France rose 5%" by "Sales rose
      5%. Frozen pizza sales in France rose 3%."
    - The source mentions another company, and its sentence and document do not mention the
      summary's: "Hollis's revenue was $5 million" by "Halden reported revenue of $5 million."
    - The source gives another date for an event: "A dividend of $0.25 is payable on June 20" by "A
      dividend of $0.25 is payable on June 13."
    - Only the summary or only the source calls the figure adjusted, and the passages have another
      figure on the summary's basis: "Adjusted EPS was $2.00" by "EPS was $2.00. Adjusted EPS was
      $2.30."
    - The source is rounder: "Revenue was $1.23 billion" by "Revenue was $1.2 billion."
    - The figure occurs only for other metrics: "Debt was $7 million" by "Revenue was $7 million."

    `not_found`: the passages do not have the figure, in any unit.

    Args:
        summary: Text to check.
        passages: Texts to check against.
        documents: Name of the document of each passage, which may name its company; empty if
            unknown.

    Returns:
        One entry per figure, in the order of the summary; positions are those in the summary with
        its wrapped lines joined.

    Raises:
        TextTooLongError: The passages hold more than 50,000 numbers.
    """
    with _INDEXING:  # otherwise concurrent samples of one document would all read it
        index = _index(tuple(passages), tuple(documents))
    summary = unwrap(summary)
    antecedents = Antecedents(summary)
    results: dict[PassageFigure, CheckedClaim] = {}
    claims = []
    figures = with_compared_lengths(with_other_ends(extract_amounts(summary)))
    for figure in figures:
        sentence = summary[figure.sentence.start : figure.sentence.end]
        antecedent = antecedents.of(figure.sentence)
        claim = PassageFigure(without_position(figure), sentence, antecedent)
        if claim not in results:
            checked = _check(claim._replace(figure=figure), index)
            results[claim] = _check_computed(checked, figures, index)
        claims.append(replace(results[claim], figure=figure))
    return claims


_INDEXING = Lock()


@lru_cache(maxsize=64)
def _index(passages: tuple[str, ...], documents: tuple[str, ...]) -> PassageIndex:
    """Read passages once for any number of summaries and scorers."""
    return PassageIndex(passages, documents)


def _check_computed(
    result: CheckedClaim, figures: Sequence[Quantity], index: PassageIndex
) -> CheckedClaim:
    """Check a figure again if its statement computes it: a difference, a share, a sum.

    - Figures of one sentence, row or column support it: "15 stores, net" by "We opened 40 stores
      and closed 25."
    - A figure of the passages cannot contradict it, unless its sentence computes that figure too.
    - A count that is not net cannot support one that is.
    """
    claim = result.figure
    source = result.source or ""
    is_net = is_net_count(claim, result.sentence)
    is_gross_match = is_net and not mentions_net(source)
    if result.verdict == "supported" and not is_gross_match:
        return result
    computed_from = index.groups.source(claim, result.sentence, figures)
    if computed_from:
        return replace(result, verdict="supported", source=computed_from, differs=())
    if not (is_net or is_computed(result.sentence)):
        return result
    if result.verdict in ("not_found", "unsettled") or is_computed(source):
        return result
    return replace(result, verdict="unsettled", differs=())


def _check(claimed: PassageFigure, index: PassageIndex) -> CheckedClaim:
    """Check a figure against the tables, and against the prose unless a row supports it.

    If a row contradicts it, a sentence about the same thing may still support it.
    """
    claim, sentence, antecedent = claimed
    of_label, rows = _check_tables(claim, sentence, index)
    in_table = index.cells.verdict(claim, sentence, of_label)
    if in_table is None:
        return ProseCheck(claim, sentence, antecedent, index).run()
    line, differs = in_table.row.line, in_table.differs
    if in_table.supported:
        return CheckedClaim(claim, sentence, "supported", line, differs)
    in_prose = ProseCheck(claim, sentence, antecedent, index).run()
    if in_prose.verdict == "supported" and _names_row(in_prose, rows):
        return in_prose
    return CheckedClaim(claim, sentence, "contradicted", line, differs)


def _check_tables(
    claim: Quantity, sentence: str, index: PassageIndex
) -> tuple[RowVerdict | None, Sequence[TableRow]]:
    """Check a figure against rows with labels in its sentence, then against rows of its metric.

    A row counts only if the words about the figure name at least as much of it as of the rows
    before.

    Returns:
        The first verdict, and the rows that were checked last.
    """
    words = statement_words(sentence)
    about = statement_words(claim.wording.about)
    labelled_rows = index.rows(claim, about) or index.rows(claim, words)
    in_named_block = [row for row in labelled_rows if row.block and row.block <= words]
    of_metric = index.rows_of_metric(claim, about)
    rows: Sequence[TableRow] = ()
    named_most = 0
    for candidates in (in_named_block or labelled_rows, of_metric, index.rows(claim, words)):
        rows = [row for row in candidates if len(row.words & about) >= named_most]
        verdict = check_rows(claim, sentence, rows)
        if verdict:
            return verdict, rows
        named_most = max([named_most, *(len(row.words & about) for row in rows)])
    return None, rows


def _names_row(result: CheckedClaim, rows: Sequence[TableRow]) -> bool:
    """Return whether the sentence that supports a claim has all words that claim and row share."""
    statement = statement_words(result.sentence)
    source = statement_words(result.source or "")
    claimed_metrics = metrics(result.sentence.lower())
    names = metrics((result.source or "").lower())
    return any(
        row.bare & statement <= source and row.metrics & claimed_metrics <= names for row in rows
    )
