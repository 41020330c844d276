"""The decorator of every scorer, for samples of any solver and data set."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import ParamSpec

from inspect_ai.scorer import Metric, Score, Scorer, Target
from inspect_ai.scorer import scorer as inspect_scorer
from inspect_ai.solver import TaskState

from ..._util.encodable import encodable
from ..._util.errors import InputError, check_parameters
from ...types.measures import MeasureSpec
from ...types.state import mend

P = ParamSpec("P")
_Metrics = Sequence[Metric | Mapping[str, Sequence[Metric]]] | Mapping[str, Sequence[Metric]]


def scorer(
    metrics: _Metrics, measures: Sequence[MeasureSpec]
) -> Callable[[Callable[P, Scorer]], Callable[P, Scorer]]:
    """Register a scorer like Inspect's `scorer`, and let it see only encodable text.

    Unknown and missing parameters raise one-line errors.

    Args:
        metrics: Metrics of its scores.
        measures: Measure of each key of its value; Inspect writes them into the log.
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
            return _mending(make(*args, **kwargs))

        return inspect_scorer(metrics=metrics, measures=tuple(measures))(made)

    return register


def _mending(score: Scorer) -> Scorer:
    @wraps(score)  # keeps its attributes, such as the scale of a judge
    async def mended(state: TaskState, target: Target) -> Score | None:
        mend(state)
        return await score(state, Target(encodable(list(target))))

    return mended
