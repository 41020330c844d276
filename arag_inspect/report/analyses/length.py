"""Value of retrieval compared with reading the whole document, by document length."""

from collections.abc import Iterator

from ..analysis import RowCells, analysis
from ..cells import mean_over
from ..comparison.length import contest, groups_by_length
from ..study import Study


@analysis(
    "What retrieval adds, by length of the documents",
    text="""
    The best system that retrieves, and the system that reads the whole document with the same
    model: means over the n samples of each with a value, and the paired difference with its 95 %
    interval.
    Tokens: length of the document, estimated at four characters per token, or counted by the
    corpus's tokenizer where it was too long.
    """,
    section="retrieval",
    order=10,
)
def by_length(study: Study) -> Iterator[RowCells]:
    """Yield the means of both systems and their difference, by length of the documents."""
    pairing = contest(study)
    if pairing is None:
        return
    key = pairing.measure.key
    for name, among in groups_by_length(pairing):
        difference = pairing.difference(study, among)
        yield {
            "documents": name,
            "tokens": pairing.range(among),
            "measure": pairing.measure.label,
            "means": {
                system: mean_over(study.values_of(system, key)[among]) for system in pairing[:2]
            },
            "difference": difference[0] if difference is not None else None,
        }
