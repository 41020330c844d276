"""Facts of talks with a financial adviser, taken down by a schema."""

from collections.abc import Sequence
from functools import partial

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig

from arag_inspect import scorers as measures
from arag_inspect.solvers import extract_facts
from arag_inspect.tasks._dataset import corpus_metadata, prepared_dataset
from arag_inspect.tasks._scorer_sets import Makers, Sets, named_scorers
from arag_inspect.tasks._viewer import task_viewer
from arag_inspect.types.client_file import load_schema

_PROGRAM = ("schema_validity", "citation_check", "estimate_flags", "efficiency")

_ALL = ("fact_match", "fact_match_lenient", *_PROGRAM)


@task
def advisor_facts(
    *,
    corpus: str = "advisor",
    schema: str | None = None,
    review: bool = False,
    structured: bool = True,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """A client's finances, taken down from the transcript of a talk with an adviser.

    Prepare the talks first: `arag-inspect prepare advisor`.

    Args:
        corpus: Name or path of the prepared talks.
        schema: Path of a JSON Schema that the answer has to fit. Default: a client's finances.
        review: Let the model check its own extraction in a second pass.
        structured: Hold the provider to the schema, instead of asking in the prompt alone.
        scorers: Names of scorers, or `default`, `program` (no grader is asked), `all`.

    Model Roles:
        grader: Matches facts. Default claude-haiku-4-5.
    """
    marks = named_scorers(scorers, _makers(schema), _SETS)
    return Task(
        dataset=prepared_dataset(
            corpus,
            dataset="advisor",
            split=None,
            prepare="arag-inspect prepare advisor",
        ),
        solver=extract_facts(schema=schema, review=review, structured=structured),
        scorer=marks,
        config=GenerateConfig(temperature=0),
        viewer=task_viewer(marks),
        metadata={**corpus_metadata(corpus), "schema": load_schema(schema).digest},
        version=1,
    )


def _makers(schema: str | None) -> Makers:
    return {
        "fact_match": measures.fact_match,
        "fact_match_lenient": measures.fact_match_lenient,
        "schema_validity": partial(measures.schema_validity, schema=schema),
        "citation_check": measures.citation_check,
        "estimate_flags": measures.estimate_flags,
        "efficiency": measures.efficiency,
    }


_SETS: Sets = {"program": _PROGRAM, "default": _ALL, "all": _ALL}
