"""Contested questions: two-sided summaries with evidence."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig

from arag_inspect._util.errors import check_choice
from arag_inspect.scorers import efficiency
from arag_inspect.tasks._build import known_parameters
from arag_inspect.tasks._scorer_sets import Makers, named_scorers
from arag_inspect.tasks._viewer import task_viewer

from .citation_recall import citation_recall
from .dataset import perspectives_dataset
from .evidence_support import evidence_support
from .multi_perspective import multi_perspective
from .perspective_validity import perspective_validity

_NO_GRADER = ("perspective_validity", "citation_recall", "efficiency")


@task
@known_parameters
def perspectives(
    *,
    path: str | None = None,
    max_attempts: int = 10,
    max_parse_errors: int = 5,
    evidence: Literal["grader", "nli"] = "grader",
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Two-sided summaries of contested questions, each point with the documents it rests on.

    Answers are sampled at temperature 0.1 and top-p 0.8, with at most 1,500 tokens; Inspect's
    `--temperature`, `--top-p` and `--max-tokens` override these.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        path: JSON Lines with `query`, `documents` and optionally `web`. Default: the twenty
            questions of the package.
        max_attempts: Most calls of the model for a question.
        max_parse_errors: Unreadable answers until the lowest-scored documents are dropped.
        evidence: Checks whether a perspective follows from its documents: the grader, or a model
            of natural language inference.
    """
    check_choice("evidence", evidence, ("grader", "nli"))
    makers: Makers = {
        "perspective_validity": perspective_validity,
        "evidence_support": partial(evidence_support, method=evidence),
        "citation_recall": citation_recall,
        "efficiency": efficiency,
    }
    sets = {"no_grader": _NO_GRADER, "default": tuple(makers)}
    chosen = named_scorers(scorers, makers, sets)
    return Task(
        dataset=perspectives_dataset(path),
        solver=multi_perspective(max_attempts=max_attempts, max_parse_errors=max_parse_errors),
        scorer=chosen,
        config=GenerateConfig(temperature=0.1, top_p=0.8, max_tokens=1500),
        viewer=task_viewer(chosen),
        version=2,
    )
