"""The decorator for all scorers, which accept samples of any solver and data set."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from typing import Annotated, Any, Literal, ParamSpec

from inspect_ai.scorer import Metric, Score, Scorer, Target
from inspect_ai.scorer import scorer as inspect_scorer
from inspect_ai.solver import TaskState
from pydantic import Field, ValidationError, validate_call

from arag_inspect._util.errors import InputError, check_parameters, first_error
from arag_inspect.measure import MeasureSpec, Output, measures
from arag_inspect.measures.guard import Scoring, guard_scoring
from arag_inspect.measures.metrics import estimates
from arag_inspect.models.pricing import price_run

P = ParamSpec("P")
PlainScorer = Callable[[TaskState, Target], Score]
_Metrics = Sequence[Metric | Mapping[str, Sequence[Metric]]] | Mapping[str, Sequence[Metric]]
Positive = Annotated[int, Field(ge=1, strict=True)]
Proportion = Annotated[float, Field(ge=0, le=1, strict=True)]

ScorerSet = Literal["default", "all"]
"""A set of scorers that a task can name; `all` includes `default`."""


@dataclass(frozen=True, slots=True)
class Membership:
    """The sets that include a scorer."""

    sets: Mapping[Output, ScorerSet] = field(default_factory=dict)
    """Smallest set that includes it, by kind of output. It must be named for the others."""

    needs_gold: tuple[Output, ...] = ()
    """Kinds of output for which no set includes it if no sample has a gold answer."""


_MEMBERSHIP = "arag_membership"
"""Attribute of a scorer's factory: its `Membership`."""

_MOST_ROWS = 15
"""Maximum rows of a scorer in Inspect's display."""


def scorer(
    *specs: MeasureSpec,
    more: Sequence[Metric] = (),
    metrics: _Metrics | None = None,
    any_length: bool = False,
    reads_marks: bool = False,
    sets: Mapping[Output, ScorerSet] | None = None,
    needs_gold: tuple[Output, ...] = (),
    **shared: Any,
) -> Callable[[Callable[P, Scoring]], Callable[P, Scorer]]:
    """Register a scorer like Inspect's `scorer`, with the handling common to all of them.

    1. The scorer sees only encodable text, the answer without blocks of thought (how many
       characters they have is in the metadata as `thoughts_left_out`) and, unless it `reads_marks`,
       without marks of citations and with its wrapped lines joined.
    2. A sample that its system skipped is unscored, and so is one whose answer or reference is
       longer than `guard.LONGEST` or whose texts raise `TextTooLongError` (`too_long`), and one for
       which the scorer raises `UnscoredError`.
    3. Every score has the answer and a signature: the parameters in its metadata under
       `signature`, or the name alone. An empty answer is explained.
    4. A plain function instead of a coroutine runs in a worker thread.
    5. Parameters are checked by their types; unknown, missing and wrong ones raise one-line errors.

    Args:
        specs: Measures; Inspect writes them into the log. If none has the scorer's name, they are
            the keys of its value, with or without that name and a point before them. A single one
            without a description gets the first line of the scorer's docstring.
        more: Metrics of the primary, else the first, measure in addition to `estimates`.
        metrics: Metrics instead of `estimates` and `more`.
        any_length: Whether it scores texts of any length, because it does not read them.
        reads_marks: Whether it judges citations, or reads an answer in JSON.
        sets: See `Membership`.
        needs_gold: See `Membership`.
        shared: Fields common to all measures.
    """

    def register(make: Callable[P, Scoring]) -> Callable[P, Scorer]:
        get_validated_factory = cache(lambda: validate_call(make))

        @wraps(make)
        def checked_factory(*args: P.args, **kwargs: P.kwargs) -> Scorer:
            owner = f"scorer {make.__name__}"
            check_parameters(owner, inspect.signature(make).parameters, kwargs)
            try:
                score = get_validated_factory()(*args, **kwargs)
            except ValidationError as error:
                raise InputError(f"{owner}: {first_error(error)}") from None
            price_run()  # tasks of other suites do not set prices
            return guard_scoring(make.__name__, score, any_length, reads_marks)

        name = make.__name__
        is_single_value = any(spec.key == name for spec in specs)
        if is_single_value:
            scorer_measures = measures(*specs, **shared)
        else:
            keyed = [replace(spec, key=spec.key.removeprefix(f"{name}.")) for spec in specs]
            scorer_measures = measures(*keyed, scorer=name, **shared)
        if is_single_value and len(specs) == 1 and not specs[0].description:
            line = (make.__doc__ or "").partition("\n")[0]
            scorer_measures = (replace(scorer_measures[0], description=line),)
        metrics_by_key = _default_metrics(scorer_measures, more)
        default_metrics = metrics_by_key[name] if is_single_value else metrics_by_key
        register_in_inspect = inspect_scorer(
            metrics=metrics or default_metrics, measures=scorer_measures
        )
        factory = register_in_inspect(checked_factory)
        setattr(factory, _MEMBERSHIP, Membership(sets or {}, needs_gold))
        return factory

    return register


def membership_of(make: object) -> Membership:
    """Return the sets that include a scorer, as its factory declares; none unless it does."""
    membership: Membership = getattr(make, _MEMBERSHIP, Membership())
    return membership


def _default_metrics(specs: Sequence[MeasureSpec], more: Sequence[Metric]) -> Any:
    """Return the estimates of each measure by its key, and `more` for the main one."""
    value_specs = [spec for spec in specs if not spec.in_metadata]
    rows = (_MOST_ROWS - len(more)) // len(value_specs)
    primary_spec = next((spec for spec in specs if spec.role == "primary"), specs[0])
    metrics = {spec.value_key: estimates(spec, rows) for spec in specs}
    metrics[primary_spec.value_key] += more
    return metrics
