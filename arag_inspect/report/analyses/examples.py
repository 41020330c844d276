"""Samples worth reading, chosen by rules."""

from collections.abc import Iterator, Sequence

from ..analysis import analysis
from ..cells import Cell
from ..comparison.examples import choose_examples
from ..study import Study


@analysis(
    "Samples worth reading",
    columns="example | sample | rule",
    text="""
    Chosen by rule; ties go to the first id. A dash: no sample fits the rule.
    """,
    section="samples",
    order=10,
)
def examples(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield the chosen samples, and the rules without a sample."""
    for choice in choose_examples(study):
        yield choice.title, choice.sample_id, choice.rule
