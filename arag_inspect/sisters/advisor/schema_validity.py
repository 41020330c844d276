"""Check an answer against a JSON Schema."""

from collections.abc import Iterator

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.json_text import check_value, read_json
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec

from .schema import Fault, load_schema

_SHOWN = 50


@scorer(
    MeasureSpec("valid", "Fit with the schema", "Valid", role="secondary"),
    MeasureSpec("failing_paths", "Failing paths", higher_is_better=False),
    family="facts",
    signature=("schema", "jsonschema"),
    reads_marks=True,
)
def schema_validity(*, schema: str | None = None) -> PlainScorer:
    """Does the answer fit a JSON Schema, by the library `jsonschema` (draft 2020-12)?

    1. The answer is the first JSON object of the output, with or without a code fence.
    2. `valid` is 1 if nothing in it violates the schema, else 0. `format` is checked, e.g. of
       dates.
    3. `failing_paths` is the share of its paths that violate the schema, from 0 to 1. Paths are
       those of every member and item of the answer, and the whole; a missing or additional member
       counts at its object.
    4. For alternatives (`anyOf`), the faults of the nearest branch count.
    5. An output without a JSON object, or with one nested more than a hundred levels deep, has
       `valid` 0 and `failing_paths` 1. Unscored if the system gave up, and if the check does not
       end within 20 s.

    Metadata: `faults`, each with path and message (the first 50), and their number.

    Args:
        schema: Path of a JSON Schema. Default: a client's finances.

    Raises:
        InputError: The schema cannot be read.
    """
    form = load_schema(schema)
    signature = {"libraries": ("jsonschema",), "schema": form.digest}

    def score(state: TaskState, target: Target) -> Score:
        value = read_json(state.output.completion)
        try:
            check_value(value)
            faults = [] if value is None else form.faults_in_time(value)
        except ValueError as error:
            value, faults = None, [Fault("", f"cannot be checked: {error}")]
        if faults is None:
            raise UnscoredError(
                "unchecked",
                "The check does not end: a pattern or the alternatives of the schema take too long.",
            )
        if value is None and not faults:
            faults = [Fault("", "the answer holds no JSON object")]
        failing = {fault.path for fault in faults}
        paths = {".".join(path) for path in _paths(value)} | failing
        first_faults = faults[:_SHOWN]
        lines = [f"{fault.path or '(whole)'}: {fault.message}" for fault in first_faults]
        return Score(
            value={"valid": float(not faults), "failing_paths": len(failing) / len(paths)},
            explanation="\n".join(lines) or "The answer fits the schema.",
            metadata={
                "signature": signature,
                "faults": [fault._asdict() for fault in first_faults],
                "fault_count": len(faults),
                "paths": len(paths),
            },
        )

    return score


def _paths(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, str(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, (*path, str(index)))
