"""Court opinions: summaries of judgments with concurrences and dissents."""

from collections.abc import Sequence
from functools import partial

from inspect_ai import Task, task

from arag_inspect import scorers as measures
from arag_inspect._util.errors import check_number
from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import Makers, Sets, named_scorers

from .composite_faithfulness import composite_faithfulness

_NO_GRADER = ("nli_contradiction", "embedding_coverage", "section_coverage", "rouge", "efficiency")
_JUDGED = ("geval_faithfulness", "geval_coverage", "error_taxonomy", "severity_judge")
_LEGAL_SETS: Sets = {
    "no_grader": _NO_GRADER,
    "default": (*_JUDGED, *_NO_GRADER[:2], "composite_faithfulness", *_NO_GRADER[2:]),
}


@task
@known_parameters
def legal_cases(
    *,
    system: System = "stuffing",
    corpus: str | None = None,
    target_length: int = 250,
    coverage_threshold: float = 0.5,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of court opinions, and how faithful they are.

    Prepare the corpus first: `arag-inspect prepare legal`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        coverage_threshold: Least cosine at which `embedding_coverage` counts a sentence of the
            reference as covered. At 0.66 it notices most omitted holdings and separate opinions,
            but also misses more that is paraphrased (docs/legal.md).
    """
    check_number(-1, 1, coverage_threshold=coverage_threshold)
    makers: Makers = {
        "geval_faithfulness": partial(measures.geval_faithfulness, criteria="legal"),
        "geval_coverage": partial(measures.geval_coverage, criteria="legal"),
        "severity_judge": partial(measures.severity_judge, rubric="legal"),
        "error_taxonomy": partial(measures.error_taxonomy, taxonomy="legal"),
        "nli_contradiction": measures.nli_contradiction,
        "embedding_coverage": partial(measures.embedding_coverage, threshold=coverage_threshold),
        "composite_faithfulness": partial(
            composite_faithfulness, rubric="legal", coverage_threshold=coverage_threshold
        ),
        "section_coverage": measures.section_coverage,
        "rouge": measures.rouge,
        "bertscore": measures.bertscore,
        "efficiency": measures.efficiency,
    }
    return build_task(
        prepared_dataset("legal", corpus, target_length=target_length),
        system_solver(system, system_args),
        named_scorers(scorers, makers, _LEGAL_SETS),
        taxonomy="legal",
    )
