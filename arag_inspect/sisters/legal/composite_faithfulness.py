"""Contradiction, severity and coverage combined into one score."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect.judge.context import Context
from arag_inspect.judge.rubric import load_rubric
from arag_inspect.judge.signature import signature
from arag_inspect.scorers._score_reuse import ComponentScore, reuse_or_compute
from arag_inspect.scorers._scorer import scorer
from arag_inspect.scorers.embedding_coverage import embedding_coverage
from arag_inspect.scorers.nli_contradiction import nli_contradiction
from arag_inspect.scorers.severity_judge import severity_judge
from arag_inspect.types.measures import MeasureSpec, measures

DEFAULT_WEIGHTS = "nli=0.35,judge=0.40,coverage=0.25"
BANDS = ((0.90, "Excellent"), (0.75, "Good"), (0.60, "Moderate"), (0.0, "Significant problems"))
"""Lowest value of each band, best first."""


class _Component(NamedTuple):
    """Origin of a component."""

    scorer: str
    make: Callable[[], Scorer]


MEASURES = measures(
    MeasureSpec(
        "composite_faithfulness",
        "Composite faithfulness",
        "Composite",
        "Weighted mean of contradiction, severity and coverage.",
        role="primary",
    ),
    family="judgement",
    signature=("weights", "nli", "judge", "coverage"),
)


@scorer(MEASURES)
def composite_faithfulness(
    *,
    weights: str | Sequence[str] | Mapping[str, object] = DEFAULT_WEIGHTS,
    rubric: str = "financial",
    context: Context = "auto",
    nli_model: str | None = None,
    coverage_threshold: float = 0.5,
) -> Scorer:
    """Combine three views of faithfulness into one number from 0 to 1.

    1. The parts are `nli` (`nli_contradiction`: the reference is not contradicted), `judge`
       (`severity_judge`: no grave error) and `coverage` (`embedding_coverage`: the reference is
       covered). Each is between 0 and 1; the value is their weighted mean, with weights divided by
       their sum.
    2. Existing scores of the sample are reused; other parts are computed now. A part with weight 0
       is skipped.
    3. If a part is unscored, so is the composite, which names it: a mean of the rest would be
       another measure.
    4. `by_judge` in the metadata is the composite with the severity of each judge alone.
    5. The band of the value is in the metadata: `Excellent` from 0.90, `Good` from 0.75,
       `Moderate` from 0.60, `Significant problems` below.

    Model Roles:
        grader: Judges severity, if it is computed now. Default claude-haiku-4-5.

    Args:
        weights: Weight of each part, as a mapping or as text: `nli=0.35,judge=0.4,coverage=0.25`.
        rubric: Rubric of `severity_judge`, if it is computed now.
        context: Texts from which the summary was written, see `judge.context`.
        nli_model: Model of `nli_contradiction`, if it is computed now; None uses its default, which
            is a rule if the judge is `offline/extractive`.
        coverage_threshold: Threshold of `embedding_coverage`, if it is computed now.

    Raises:
        InputError: The weights are invalid, or the rubric cannot be read.
    """
    load_rubric(rubric)
    contradiction = partial(nli_contradiction, model=nli_model)
    sources = {
        "nli": _Component("nli_contradiction", contradiction),
        "judge": _Component(
            "severity_judge", partial(severity_judge, rubric=rubric, context=context)
        ),
        "coverage": _Component(
            "embedding_coverage", partial(embedding_coverage, threshold=coverage_threshold)
        ),
    }
    shares = read_weights(weights, tuple(sources))

    async def score(state: TaskState, target: Target) -> Score:
        parts = {
            name: await reuse_or_compute(state, target, sources[name].scorer, sources[name].make)
            for name in shares
        }
        return _score(parts, shares, state.output.completion)

    return score


def _score(
    parts: Mapping[str, ComponentScore | None], shares: Mapping[str, float], answer: str
) -> Score:
    numbers = {name: part.number if part else None for name, part in parts.items()}
    scores = {name: number for name, number in numbers.items() if number is not None}
    metadata = {
        "signature": _signature(parts, shares),
        "parts": {
            name: {"value": numbers[name], "weight": share, "reused": _reused(parts[name])}
            for name, share in shares.items()
        },
        "judges": [judge for name, part in parts.items() if part for judge in part.paid(name)],
    }
    if len(scores) < len(shares):
        missing = "; ".join(f"{name}: {_why(parts[name])}" for name in shares if name not in scores)
        return Score.unscored(
            reason="part_unscored",
            answer=answer,
            explanation=f"Not every part has a value ({missing}).",
            metadata=metadata,
        )
    value = sum(share * scores[name] for name, share in shares.items())
    terms = " + ".join(f"{share:.2f} x {name} {scores[name]:.2f}" for name, share in shares.items())
    return Score(
        value=value,
        answer=answer,
        explanation=f"{terms} = {value:.2f}: {band(value)}.",
        metadata={**metadata, "band": band(value), "by_judge": _by_judge(parts, shares, value)},
    )


def band(value: float) -> str:
    """Return the band of a composite."""
    return next((name for least, name in BANDS if value >= least - 1e-9), BANDS[-1][1])


def _by_judge(
    parts: Mapping[str, ComponentScore | None], shares: Mapping[str, float], value: float
) -> dict[str, float]:
    """Return the composite with the severity of each judge alone."""
    judge_part = parts.get("judge")
    verdicts = (judge_part.score.metadata or {}).get("verdicts") if judge_part else None
    if judge_part is None or judge_part.number is None or not isinstance(verdicts, Mapping):
        return {}
    share, mean = shares["judge"], judge_part.number
    return {
        name: value + share * (verdict - mean)
        for name, verdict in verdicts.items()
        if isinstance(verdict, int | float)
    }


def _signature(parts: Mapping[str, ComponentScore | None], shares: Mapping[str, float]) -> str:
    """Return the weights and the signature of each part."""
    weights = ",".join(f"{name}={share:.4g}" for name, share in shares.items())
    inner = {
        name: (part.score.metadata or {}).get("signature", "unknown").replace("|", ";")
        for name, part in parts.items()
        if part
    }
    return signature("composite_faithfulness", weights=weights, **inner)


def _reused(part: ComponentScore | None) -> bool:
    return part is not None and part.reused


def _why(part: ComponentScore | None) -> str:
    return part.score.explanation or "no number" if part else "no score"


Weights = str | Sequence[str] | Mapping[str, object]


def read_weights(weights: Weights, names: Sequence[str]) -> dict[str, float]:
    """Parse weights and normalise them to a sum of 1.

    Args:
        weights: A mapping, or text such as `a=1,b=0.5` (or the same split at its commas, as by
            Inspect's command line).
        names: Names of the components.

    Returns:
        Share of each component with a positive weight, in the order of `names`.

    Raises:
        InputError: A name is unknown or occurs twice, a weight is not a number of at least 0, or
            all are 0.
    """
    weight_by_name: dict[str, float] = {}
    for name, weight in _pairs(weights):
        if name not in names or name in weight_by_name:
            raise InputError(
                f"weights {weights!r}: {name!r} is unknown or occurs twice; give weights for "
                f"{', '.join(names)}, such as {names[0]}=0.5,{names[-1]}=0.5"
            )
        weight_by_name[name] = _number(name, weight)
    total = sum(weight_by_name.values())
    if not total:
        raise InputError(f"weights {weights!r} are all 0; give one above 0")
    return {name: weight_by_name[name] / total for name in names if weight_by_name.get(name)}


def _pairs(weights: Weights) -> Iterable[tuple[str, object]]:
    if isinstance(weights, Mapping):
        return [(str(name), weight) for name, weight in weights.items()]
    pieces = weights.split(",") if isinstance(weights, str) else [str(piece) for piece in weights]
    pairs = [piece.partition("=") for piece in pieces]
    return [(name.strip(), weight.strip()) for name, _, weight in pairs]


def _number(name: str, weight: object) -> float:
    try:
        number = float(str(weight))
    except ValueError:
        number = math.nan
    if isinstance(weight, bool) or not math.isfinite(number) or number < 0:
        raise InputError(f"weight of {name} must be a number of at least 0, got {weight!r}")
    return number
