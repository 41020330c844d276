"""Scores given by other tools, as measures named after their origin."""

from collections.abc import Mapping, Sequence
from math import nan

from inspect_ai import Task
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.scorer import scorer as inspect_scorer
from inspect_ai.solver import TaskState

from arag_inspect.benchmarks._shared.other_tools.names import LOWER_IS_BETTER
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.metrics import estimates

from .samples import ORIGIN_SCORES


def add_recorded_outcomes(task: Task) -> Task:
    """Add a scorer for each tool with scores in the samples, and let failed calls fail samples."""
    values: dict[str, dict[str, list[float]]] = {}
    for sample in task.dataset:
        for origin, scores in (sample.metadata or {}).get(ORIGIN_SCORES, {}).items():
            values_by_name = values.setdefault(origin, {})
            for name, value in scores.items():
                values_by_name.setdefault(name, []).extend([] if value is None else [value])
    added = [_origin_scorer(origin, values_by_name) for origin, values_by_name in values.items()]
    task.scorer = [*(task.scorer or []), *added]
    task.fail_on_error = False  # a failed call in the file is a failed sample
    return task


def _origin_scorer(origin: str, values: Mapping[str, Sequence[float]]) -> Scorer:
    """Return a scorer named after a tool, which copies its scores from each sample's metadata."""
    specs = tuple(_measure(origin, name, sample_values) for name, sample_values in values.items())
    metrics = {spec.value_key: estimates(spec) for spec in specs}

    @inspect_scorer(metrics=metrics, name=origin, measures=specs)
    def from_file() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            scores = state.metadata.get(ORIGIN_SCORES, {}).get(origin, {})
            known_scores = {name: value for name, value in scores.items() if value is not None}
            value = {**dict.fromkeys(metrics, nan), **known_scores}
            return Score(value=value, explanation=f"As {origin} gave it.")

        return score

    return from_file()


def _measure(origin: str, name: str, values: Sequence[float]) -> MeasureSpec:
    """Return the measure of a score, with the range 0 to 1 if all its values are in it."""
    is_share = all(0 <= value <= 1 for value in values)
    return MeasureSpec(
        f"{origin}.{name}",
        f"{name} ({origin})",
        short_label=name,
        noun=f"{name} ({origin})",
        description=f"As {origin} gave it.",
        role="primary",
        low=0.0 if is_share else None,
        high=1.0 if is_share else None,
        higher_is_better=LOWER_IS_BETTER.match(name) is None,
    )
