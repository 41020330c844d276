"""The decorator of every scorer, for samples of any solver and data set."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import lru_cache, wraps
from inspect import signature
from typing import ParamSpec

from inspect_ai.scorer import Metric, Score, Scorer, Target
from inspect_ai.scorer import scorer as inspect_scorer
from inspect_ai.solver import TaskState

from ..._util.encodable import encodable
from ..._util.errors import InputError, TextTooLongError, check_parameters
from ...models.pricing import price_run
from ...models.provider_faults import stopping
from ...text.citations import without_marks, without_thoughts
from ...types.measures import MeasureSpec, find_measure
from ...types.state import mend
from .metrics import bounded

P = ParamSpec("P")
_Metrics = Sequence[Metric | Mapping[str, Sequence[Metric]]] | Mapping[str, Sequence[Metric]]

LONGEST = 100_000
"""Most characters of an answer, and of a reference, that scorers read: about 16,000 words."""


def scorer(
    metrics: _Metrics,
    measures: Sequence[MeasureSpec],
    *,
    any_length: bool = False,
    reads_marks: bool = False,
) -> Callable[[Callable[P, Scorer]], Callable[P, Scorer]]:
    """Register a scorer like Inspect's `scorer`, and let it see only encodable text.

    It sees the answer without blocks of thought and, unless it `reads_marks`, without marks
    of citations. The intervals of its metrics have the bounds of its measures. Unknown and
    missing parameters raise one-line errors. A sample whose answer or
    reference is longer than `LONGEST`, or whose texts raise `TextTooLongError`, is
    unscored (`too_long`).

    Args:
        metrics: Metrics of its scores.
        measures: Measure of each key of its value; Inspect writes them into the log.
        any_length: Whether it scores however long the texts are, since it does not read them.
        reads_marks: Whether it judges citations, or reads an answer in JSON.
    """

    def register(make: Callable[P, Scorer]) -> Callable[P, Scorer]:
        declared = signature(make)

        @wraps(make)
        def made(*args: P.args, **kwargs: P.kwargs) -> Scorer:
            check_parameters(f"scorer {make.__name__}", declared.parameters, kwargs)
            try:
                declared.bind(*args, **kwargs)
            except TypeError as error:
                raise InputError(f"scorer {make.__name__}: {error}") from None
            price_run()  # in a suite whose tasks do not
            return _guarded(make(*args, **kwargs), any_length, reads_marks)

        within = _within_bounds(make.__name__, metrics, measures)
        return inspect_scorer(metrics=within, measures=tuple(measures))(made)

    return register


def _within_bounds(name: str, metrics: _Metrics, measures: Sequence[MeasureSpec]) -> _Metrics:
    """Give every interval the bounds of its key's measure."""
    specs = {spec.key: spec for spec in measures}

    def of_keys(by_key: Mapping[str, Sequence[Metric]]) -> dict[str, list[Metric]]:
        return {
            key: bounded(own, find_measure(f"{name}.{key}", specs)) for key, own in by_key.items()
        }

    if isinstance(metrics, Mapping):
        return of_keys(metrics)
    return [
        of_keys(entry)
        if isinstance(entry, Mapping)
        else bounded([entry], find_measure(name, specs))[0]
        for entry in metrics
    ]


def _guarded(score: Scorer, any_length: bool, reads_marks: bool) -> Scorer:
    @wraps(score)  # keeps its attributes, such as the scale of a judge
    async def guarded(state: TaskState, target: Target) -> Score | None:
        mend(state)
        references = encodable(list(target))
        answer = without_thoughts(state.output.completion)
        try:
            if not any_length:
                _check_length(answer=[answer], reference=references)
            if not reads_marks and len(answer) <= LONGEST:
                answer = _without_marks(answer)
            with stopping():
                return await score(_answering(state, answer), Target(references))
        except TextTooLongError as error:
            return Score.unscored(reason="too_long", explanation=error.message)

    return guarded


def _answering(state: TaskState, answer: str) -> TaskState:
    """Return the state with another answer; the state of the sample keeps its own."""
    if answer == state.output.completion:
        return state
    state = copy(state)
    state.output = state.output.model_copy(update={"completion": answer})
    return state


_without_marks = lru_cache(maxsize=64)(without_marks)
"""Takes the marks out of an answer once for all scorers."""


def _check_length(**texts: list[str]) -> None:
    for name, several in texts.items():
        longest = max(map(len, several), default=0)
        if longest > LONGEST:
            raise TextTooLongError(
                f"The {name} has {longest:,} characters; at most {LONGEST:,} are scored."
            )
