"""Synthetic earnings calls as a data set."""

from pydantic import NonNegativeInt, PositiveInt

from .._shared.summary_set import SummarySet
from .calls import generate_calls


def read_synthetic(
    documents: PositiveInt = 40, seed: int = 7, earlier: NonNegativeInt | None = None
) -> SummarySet:
    """Generate earnings calls of fictional companies.

    Args:
        documents: Number of calls.
        seed: Seed of the generator; the same seed gives the same calls.
        earlier: One call of each company, and in the same document 0 to `earlier` previous calls.
            Default: the calls of four or five quarters, a document each.
    """
    return SummarySet(tuple(generate_calls(documents, seed, earlier)), f"seed{seed}")
