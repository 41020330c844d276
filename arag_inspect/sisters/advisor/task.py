"""Facts of conversations with a financial adviser, extracted by a schema."""

from collections.abc import Sequence
from functools import partial

from inspect_ai import Task, task

from arag_inspect import scorers as measures
from arag_inspect.judge.judge import SEED
from arag_inspect.tasks._build import build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import Makers, named_scorers

from .citation_check import citation_check
from .estimate_flags import estimate_flags
from .extract_facts import extract_facts
from .schema import load_schema
from .schema_validity import schema_validity
from .value_history import value_history

_NO_GRADER = ("schema_validity", "citation_check", "estimate_flags", "value_history", "efficiency")


@task
@known_parameters
def advisor_facts(
    *,
    corpus: str | None = None,
    schema: str | None = None,
    review: bool = False,
    structured: bool = True,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Extract a client's finances from the transcript of a conversation with an adviser.

    Prepare the conversations first: `arag-inspect prepare advisor`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        schema: Path of a JSON Schema that the answer must fit. Default: a client's finances.
        review: Let the model check its own extraction in a second pass.
        structured: Let the provider enforce the schema, instead of asking in the prompt alone.
    """
    makers: Makers = {
        "fact_match": measures.fact_match,
        "fact_match_lenient": measures.fact_match_lenient,
        "schema_validity": partial(schema_validity, schema=schema),
        "citation_check": citation_check,
        "estimate_flags": estimate_flags,
        "value_history": value_history,
        "efficiency": measures.efficiency,
    }
    return build_task(
        prepared_dataset("advisor", corpus),
        extract_facts(schema=schema, review=review, structured=structured),
        named_scorers(scorers, makers, {"no_grader": _NO_GRADER, "default": tuple(makers)}),
        metadata={"schema": load_schema(schema).digest},
        seed=SEED,
    )
