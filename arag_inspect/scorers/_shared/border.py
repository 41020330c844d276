"""Where samples come in to be scored, of any solver and any data set."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import ParamSpec

from inspect_ai.scorer import Metric, Score, Scorer, Target
from inspect_ai.scorer import scorer as inspect_scorer
from inspect_ai.solver import TaskState

from ..._util.encodable import encodable
from ...types.state import mend

P = ParamSpec("P")
_Metrics = Sequence[Metric | Mapping[str, Sequence[Metric]]] | Mapping[str, Sequence[Metric]]


def scorer(metrics: _Metrics) -> Callable[[Callable[P, Scorer]], Callable[P, Scorer]]:
    """Register a scorer as Inspect's `scorer` does; it meets only text that can be encoded.

    Args:
        metrics: Over its scores.
    """

    def register(make: Callable[P, Scorer]) -> Callable[P, Scorer]:
        @wraps(make)
        def made(*args: P.args, **kwargs: P.kwargs) -> Scorer:
            return _mending(make(*args, **kwargs))

        return inspect_scorer(metrics=metrics)(made)

    return register


def _mending(score: Scorer) -> Scorer:
    async def mended(state: TaskState, target: Target) -> Score | None:
        mend(state)
        return await score(state, Target(encodable(list(target))))

    return mended
