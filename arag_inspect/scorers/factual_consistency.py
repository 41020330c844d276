"""Are the figures of a summary those of what was read?"""

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from arag_inspect.figures import CheckedClaim, check_claims, numerical_precision
from arag_inspect.scorers._unscored import skipped
from arag_inspect.scorers.context import Context, check_context, material
from arag_inspect.scorers.metrics import estimates
from arag_inspect.scorers.signature import signature

KEYS = ("verified", "contradicted", "numerical_precision")


@scorer(metrics={key: estimates() for key in KEYS})
def factual_consistency(*, context: Context = "auto") -> Scorer:
    """Check every figure of the summary against what the system has read, by program.

    1. `verified`: claims that a passage supports / all claims. A claim is a figure with what its sentence says of it: metric, scale, unit, sign, direction, period, basis, and whether it is a result or an outlook.
    2. `contradicted`: claims that a passage contradicts in one of these / all claims. What is neither is in doubt (`unsettled`) or stands nowhere (`not_found`).
    3. `numerical_precision`: Num-Prec of ECTSum (Mukherjee et al., EMNLP 2022), the share of the summary's numerical values that occur in what was read.
    4. Unscored where the summary has no figure, and where there is nothing to check against.

    Metadata: `claims`, one entry a figure, with the sentence that decided.

    Args:
        context: What to check against, see `scorers.context`.

    Raises:
        InputError: The context is none of these.
    """
    check_context(context)

    async def score(state: TaskState, target: Target) -> Score:
        if (unscored := skipped(state)) is not None:
            return unscored
        read_from, passages = await material(state, context)
        if not passages:
            return Score.unscored(
                reason="no_passages", explanation="There is nothing to check the summary against."
            )
        answer = state.output.completion
        claims = await anyio.to_thread.run_sync(check_claims, answer, passages)
        precision = await anyio.to_thread.run_sync(numerical_precision, answer, passages)
        if not claims:
            return Score.unscored(
                reason="no_claims",
                explanation="The summary states no figure that could be checked.",
            )
        return Score(
            value={
                "verified": _share(claims, "supported"),
                "contradicted": _share(claims, "contradicted"),
                "numerical_precision": float("nan") if precision is None else precision,
            },
            answer=answer,
            explanation="\n".join(_line(claim) for claim in claims),
            metadata={
                "signature": signature("factual_consistency", context=read_from),
                "claims": [claim.as_dict() for claim in claims],
            },
        )

    return score


def _share(claims: list[CheckedClaim], verdict: str) -> float:
    return sum(claim.verdict == verdict for claim in claims) / len(claims)


def _line(claim: CheckedClaim) -> str:
    verdict = claim.verdict.replace("_", " ")
    differs = f" ({', '.join(claim.differs)})" if claim.differs else ""
    source = f"\n    read: {claim.source}" if claim.source else ""
    return f"{verdict}{differs}: {claim.figure.text} in: {claim.claim}{source}"
