"""Cost of an answer."""

from math import nan

from inspect_ai.scorer import Metric, Score, Target, mean
from inspect_ai.solver import TaskState

from arag_inspect.measure import MeasureSpec, measures
from arag_inspect.measures.metrics import p50, p90
from arag_inspect.measures.scorer import PlainScorer, scorer
from arag_inspect.models.usage import recorded_or_measured

_SPECS = measures(
    MeasureSpec("cost_usd", "Cost, USD", "USD", "Price of the tokens of a sample.", aspect="cost"),
    MeasureSpec(
        "latency_ms",
        "Latency, ms",
        "ms",
        "Working time of the system, without waits.",
        aspect="latency",
    ),
    MeasureSpec("wall_ms", "Wall clock, ms", "Wall ms", "From first call to answer, with waits."),
    MeasureSpec("input_tokens", "Tokens in", "Tokens in", "Tokens sent."),
    MeasureSpec("output_tokens", "Tokens out", "Tokens out", "Tokens received."),
    higher_is_better=False,
) + measures(
    MeasureSpec("loops", "Loops", "Loops", "Rounds of the agent: model calls.", aspect="loops"),
    MeasureSpec("word_count", "Words", "Words", "Words of the answer.", aspect="words"),
    higher_is_better=None,
)


def _metrics(measure: MeasureSpec) -> list[Metric]:
    """Return the mean and, for times, which have a long tail, two percentiles."""
    return [mean(), p50(), p90()] if measure.key.endswith("_ms") else [mean()]


_REASONS = {
    "no known price, or no tokens reported": ("cost_usd",),
    "not recorded, or answered by a batch or a cache": ("latency_ms", "wall_ms"),
    "no call of a model is recorded": ("loops",),
    "not reported": ("input_tokens", "output_tokens"),
}
"""Keys that may be unknown, by reason."""


@scorer(
    *_SPECS,
    family="cost",
    high=None,
    metrics={spec.key: _metrics(spec) for spec in _SPECS},
    any_length=True,
    sets={"summary": "default", "answer": "default"},
)
def efficiency() -> PlainScorer:
    """Cost, time, loops, words and tokens of the system under test.

    The judges' cost is not included.

    1. An unknown value is unscored (NaN), never 0, and the explanation says why:
       `cost_usd` if a model has no known price, `latency_ms` if the answer was replayed without
       one, made in batch mode, or came from a cache.
    2. `latency_ms` is working time in milliseconds: without waits for connections or between
       retries. `wall_ms` is the wall clock from the first call to the answer, waits included.
    3. `input_tokens` include those read from or written to the provider's cache.
    4. `loops`, tokens, times and cost come from the RetrievalTrace. For a solver or agent without
       one they come from Inspect's events: a loop is a model call outside tools, and the times
       are those of the solvers from beginning to end. Model calls of scorers do not count.
    """

    def score(state: TaskState, target: Target) -> Score:
        trace = recorded_or_measured(state)
        values = {
            "cost_usd": trace.cost_usd,
            "latency_ms": trace.latency_ms,
            "wall_ms": trace.wall_ms,
            "loops": trace.loops or None,
            "word_count": len(state.output.completion.split()),
            "input_tokens": trace.input_tokens or None,
            "output_tokens": trace.output_tokens or None,
        }
        notes = [f"Stopped by {trace.stopped_by}."] if trace.stopped_by else []
        for reason, keys in _REASONS.items():
            unknown = [key for key in keys if values[key] is None]
            if unknown:
                notes.append(f"{', '.join(unknown)} unknown: {reason}.")
        return Score(
            value={key: nan if value is None else value for key, value in values.items()},
            explanation=" ".join(notes) or None,
        )

    return score
