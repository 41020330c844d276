"""A task from its parts."""

from collections.abc import Sequence

from inspect_ai import Task
from inspect_ai.dataset import Dataset
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from ._dataset import corpus_metadata
from ._viewer import task_viewer


def assemble(
    corpus: str,
    dataset: Dataset,
    solver: Solver,
    scorers: Sequence[Scorer],
    *,
    taxonomy: str = "financial",
) -> Task:
    """Tie together what every task here has.

    Args:
        corpus: Name or path of the corpus.
        dataset: Its samples.
        solver: The system under test.
        scorers: What marks the answers.
        taxonomy: Kinds of error that they tell apart.
    """
    return Task(
        dataset=dataset,
        solver=solver,
        scorer=list(scorers),
        config=GenerateConfig(temperature=0),
        viewer=task_viewer(scorers, taxonomy),
        metadata=corpus_metadata(corpus),
        version=1,
    )
