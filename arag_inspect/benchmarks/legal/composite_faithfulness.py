"""Contradiction, severity and coverage combined into one score."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain
from typing import Annotated, Literal

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import Field

from arag_inspect._util.errors import InputError
from arag_inspect.judge.context import Context
from arag_inspect.judge.rubrics import load_rubric
from arag_inspect.judge.signature import Signature, signature
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.components import ComponentScore, reuse_or_compute
from arag_inspect.measures.embedding_coverage import embedding_coverage
from arag_inspect.measures.nli_contradiction import NLI_MODEL, nli_contradiction
from arag_inspect.measures.scorer import scorer
from arag_inspect.measures.severity_judge import severity_judge
from arag_inspect.types.score_metadata import read_metadata

_Part = Literal["nli", "judge", "coverage"]
DEFAULT_WEIGHTS: Mapping[_Part, float] = {"nli": 0.35, "judge": 0.40, "coverage": 0.25}
BANDS = ((0.90, "Excellent"), (0.75, "Good"), (0.60, "Moderate"), (0.0, "Significant problems"))
"""Lowest value of each band, best first."""

Weights = Mapping[_Part, Annotated[float, Field(ge=0, allow_inf_nan=False)]]


@scorer(
    MeasureSpec("composite_faithfulness", "Composite faithfulness", "Composite", role="primary"),
    family="judgement",
    judged=True,
    signature=("weights", "nli", "judge", "coverage"),
)
def composite_faithfulness(
    *,
    weights: Weights = DEFAULT_WEIGHTS,
    rubric: str = "financial",
    context: Context = "auto",
    nli_model: str = NLI_MODEL,
    coverage_threshold: Annotated[float, Field(ge=-1, le=1)] = 0.5,
) -> Scorer:
    """Combine three views of faithfulness into one number from 0 to 1.

    1. The parts are `nli` (`nli_contradiction`: the reference is not contradicted), `judge`
       (`severity_judge`: no grave error) and `coverage` (`embedding_coverage`: the reference is
       covered). Each is between 0 and 1; the value is their weighted mean, with weights divided by
       their sum.
    2. Existing scores of the sample are reused; other parts are computed now. A part with weight 0
       is skipped.
    3. If a part is unscored, so is the composite, with that part in its reason: a mean of the other
       parts would be a different measure.
    4. `by_judge` in the metadata is the composite with the severity of each judge alone.
    5. The band of the value is in the metadata: `Excellent` from 0.90, `Good` from 0.75,
       `Moderate` from 0.60, `Significant problems` below.

    Model Roles:
        grader: Judges severity, if it is computed now. Default claude-haiku-4-5.

    Args:
        weights: Weight of each part: `{nli: 0.35, judge: 0.4, coverage: 0.25}`.
        rubric: Rubric of `severity_judge`, if it is computed now.
        context: Texts from which the summary was written, see `judge.context`.
        nli_model: Model of `nli_contradiction`, if it is computed now.
        coverage_threshold: Threshold of `embedding_coverage`, if it is computed now.

    Raises:
        InputError: The weights are invalid, or the rubric is unreadable.
    """
    load_rubric(rubric)
    makers: dict[str, tuple[str, Callable[[], Scorer]]] = {
        "nli": ("nli_contradiction", partial(nli_contradiction, model=nli_model)),
        "judge": ("severity_judge", partial(severity_judge, rubric=rubric, context=context)),
        "coverage": (
            "embedding_coverage",
            partial(embedding_coverage, threshold=coverage_threshold),
        ),
    }
    shares = read_weights(weights)

    async def score(state: TaskState, target: Target) -> Score:
        parts = {name: await reuse_or_compute(state, target, *makers[name]) for name in shares}
        return _score(parts, shares)

    return score


def _score(parts: Mapping[str, ComponentScore | None], shares: Mapping[str, float]) -> Score:
    scored_parts = {name: part for name, part in parts.items() if part}
    scores = {name: part.number for name, part in scored_parts.items() if part.number is not None}
    signatures = {
        name: Signature.parse(read_metadata(part.score.metadata).signature or "unknown").as_value
        for name, part in scored_parts.items()
    }
    weights = ",".join(f"{name}={share:.4g}" for name, share in shares.items())
    records = {}
    for name, share in shares.items():
        is_reused = name in scored_parts and scored_parts[name].reused
        records[name] = {"value": scores.get(name), "weight": share, "reused": is_reused}
    signed = signature("composite_faithfulness", libraries=(), weights=weights, **signatures)
    metadata = {
        "signature": signed,
        "parts": records,
        "judges": [*chain.from_iterable(part.paid(name) for name, part in scored_parts.items())],
    }
    missing = [name for name in shares if name not in scores]
    if missing:
        reasons = {name: part.score.explanation for name, part in scored_parts.items()}
        missing_parts = "; ".join(f"{name}: {reasons.get(name) or 'no score'}" for name in missing)
        return Score.unscored(
            reason="part_unscored",
            explanation=f"A part has no value ({missing_parts}).",
            metadata=metadata,
        )
    value = sum(share * scores[name] for name, share in shares.items())
    terms = " + ".join(f"{share:.2f} x {name} {scores[name]:.2f}" for name, share in shares.items())
    judge_values = {
        name: value + shares["judge"] * (verdict - scores["judge"])
        for name, verdict in _severity_verdicts(parts.get("judge")).items()
    }
    return Score(
        value=value,
        explanation=f"{terms} = {value:.2f}: {band(value)}.",
        metadata={**metadata, "band": band(value), "by_judge": judge_values},
    )


def _severity_verdicts(part: ComponentScore | None) -> dict[str, float]:
    """Return the verdict of each judge of the severity."""
    verdicts = read_metadata(part.score.metadata if part else None).verdicts
    return {name: verdict for name, verdict in verdicts.items() if isinstance(verdict, int | float)}


def band(value: float) -> str:
    """Return the band of a composite."""
    return next((name for lower_bound, name in BANDS if value >= lower_bound - 1e-9), BANDS[-1][1])


def read_weights(weights: Weights) -> dict[str, float]:
    """Return the share of each part with a positive weight, in the order of the parts.

    Raises:
        InputError: All weights are 0.
    """
    total = sum(weights.values())
    if not total:
        raise InputError("weights: at least one must be more than 0")
    normalization = 1 / total
    ordered = {name: weights.get(name, 0) for name in DEFAULT_WEIGHTS}
    return {name: weight * normalization for name, weight in ordered.items() if weight}
