"""The scorers of a summarisation task."""

from inspect_ai.scorer import Scorer

from ..scorers import (
    efficiency,
    factual_consistency,
    geval_coverage,
    geval_faithfulness,
    retrieval_pr,
    rouge,
)


def summary_scorers(judged: bool) -> list[Scorer]:
    """What needs no grader, and what does where it is asked for."""
    scorers = [retrieval_pr(), rouge(), efficiency()]
    if judged:
        scorers += [geval_faithfulness(), geval_coverage(), factual_consistency()]
    return scorers
