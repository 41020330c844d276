"""Contested questions: two-sided summaries with evidence."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig

from arag_inspect._util.errors import check_choice
from arag_inspect.datasets.perspectives import perspectives_dataset
from arag_inspect.scorers import citation_recall, efficiency, evidence_support, perspective_validity
from arag_inspect.solvers import multi_perspective
from arag_inspect.tasks._scorer_sets import Makers, named_scorers
from arag_inspect.tasks._viewer import task_viewer

_PROGRAM = ("perspective_validity", "citation_recall", "efficiency")


@task
def perspectives(
    *,
    data: str | None = None,
    max_attempts: int = 10,
    max_parse_errors: int = 5,
    evidence: Literal["grader", "nli"] = "grader",
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Two-sided summaries of contested questions, each point with the documents it rests on.

    Args:
        data: JSON Lines with `query`, `documents` and, where there are any, `web`; by default twenty questions that ship.
        max_attempts: Most calls of the model for a question.
        max_parse_errors: Unreadable answers until the lowest-scored documents are dropped.
        evidence: What says whether a perspective follows from its documents: the grader, or a model of natural language inference.
        scorers: Names of scorers, or `default`, `program` (no grader is asked), `all`.

    Model Roles:
        grader: Judges whether perspectives follow from their documents. Default claude-haiku-4-5.
    """
    check_choice("evidence", evidence, ("grader", "nli"))
    makers: Makers = {
        "perspective_validity": perspective_validity,
        "evidence_support": partial(evidence_support, method=evidence),
        "citation_recall": citation_recall,
        "efficiency": efficiency,
    }
    sets = {"program": _PROGRAM, "default": tuple(makers), "all": tuple(makers)}
    marks = named_scorers(scorers, makers, sets)
    return Task(
        dataset=perspectives_dataset(data),
        solver=multi_perspective(max_attempts=max_attempts, max_parse_errors=max_parse_errors),
        scorer=marks,
        config=GenerateConfig(temperature=0),
        viewer=task_viewer(marks),
        version=1,
    )
