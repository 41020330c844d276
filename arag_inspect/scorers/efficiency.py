"""Cost of an answer."""

from math import isnan, nan

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.models.usage import recorded_or_measured
from arag_inspect.scorers._metrics import percentiles
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec, measures

KEYS = (
    "cost_usd",
    "latency_ms",
    "wall_ms",
    "loops",
    "word_count",
    "input_tokens",
    "output_tokens",
)

MEASURES = measures(
    MeasureSpec("efficiency.cost_usd", "Cost, USD", "USD", "Price of the tokens of a sample."),
    MeasureSpec(
        "efficiency.latency_ms",
        "Latency, ms",
        "ms",
        "Working time of the system, without waits for connections or between retries.",
    ),
    MeasureSpec(
        "efficiency.wall_ms",
        "Wall clock, ms",
        "Wall ms",
        "Time from the system's first call to its answer, waits included.",
    ),
    MeasureSpec("efficiency.input_tokens", "Tokens in", "Tokens in", "Tokens sent."),
    MeasureSpec("efficiency.output_tokens", "Tokens out", "Tokens out", "Tokens received."),
    family="cost",
    high=None,
    higher_is_better=False,
) + measures(
    MeasureSpec("efficiency.loops", "Loops", "Loops", "Rounds of the agent: model calls."),
    MeasureSpec("efficiency.word_count", "Words", "Words", "Words of the answer."),
    family="cost",
    high=None,
    higher_is_better=None,
)


_REASONS = {
    "no known price, or no tokens reported": ("cost_usd",),
    "not recorded, or answered by a batch or a cache": ("latency_ms", "wall_ms"),
    "no call of a model is recorded": ("loops",),
    "not reported": ("input_tokens", "output_tokens"),
}
"""Keys that are unknown for a reason."""


@scorer(MEASURES, metrics={key: percentiles() for key in KEYS}, any_length=True)
def efficiency() -> PlainScorer:
    """Cost, time, loops, words and tokens of the system under test.

    The judges' cost is not included.

    1. A value that is not known is unscored (NaN) and never 0, and the explanation says why:
       `cost_usd` if a model has no known price, `latency_ms` if the answer was replayed without
       one, made in batch mode, or came from a cache.
    2. `latency_ms` is working time in milliseconds: without waits for connections or between
       retries. `wall_ms` is the wall clock from the first call to the answer, waits included.
    3. `input_tokens` include those read from or written to the provider's cache.
    4. `loops`, tokens, times and cost come from the RetrievalTrace. For a solver or agent without
       one they come from Inspect's events: a loop is a model call outside of tools, and the times
       are those of the solvers from beginning to end. Model calls of scorers do not count.
    """

    def score(state: TaskState, target: Target) -> Score:
        trace = recorded_or_measured(state)
        value = {
            "cost_usd": nan if trace.cost_usd is None else trace.cost_usd,
            "latency_ms": nan if trace.latency_ms is None else trace.latency_ms,
            "wall_ms": nan if trace.wall_ms is None else trace.wall_ms,
            "loops": trace.loops or nan,
            "word_count": len(state.output.completion.split()),
            "input_tokens": trace.input_tokens or nan,
            "output_tokens": trace.output_tokens or nan,
        }
        notes = [f"Stopped by {trace.stopped_by}."] if trace.stopped_by else []
        notes += [
            f"{', '.join(unknown)} unknown: {why}."
            for why, keys in _REASONS.items()
            if (unknown := [key for key in keys if isnan(value[key])])
        ]
        return Score(
            value=value,
            explanation=" ".join(notes) or None,
            metadata={"system": trace.system, "stopped_by": trace.stopped_by},
        )

    return score
