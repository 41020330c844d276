"""Samples worth reading, chosen by rules."""

from collections.abc import Iterator

from ..analysis import RowCells, analysis
from ..comparison.examples import choose_examples
from ..study import Study


@analysis(
    "Samples worth reading",
    text="""
    Chosen by rule; ties go to the first id. A dash: no sample fits the rule.
    """,
    section="samples",
    order=10,
)
def examples(study: Study) -> Iterator[RowCells]:
    """Yield the chosen samples, and the rules without a sample."""
    for choice in choose_examples(study):
        yield {"example": choice.title, "sample": choice.sample_id, "rule": choice.rule}
