"""A judge's expected score instead of one integer (Liu et al., EMNLP 2023, section 2)."""

import math
import re
import statistics
from collections.abc import Sequence
from typing import Literal, NamedTuple, SupportsInt, TypeVar

from inspect_ai.model import GenerateConfig, Logprob, Model, ModelOutput

from arag_inspect.judge.concurrency import collect_all
from arag_inspect.judge.judge import judge
from arag_inspect.judge.judgement import Judgement
from arag_inspect.judge.parsing import VerdictForm
from arag_inspect.measure import Scale

T = TypeVar("T", bound=SupportsInt)

_ALTERNATIVES = 20
_ROUNDING = 0.01
"""Largest amount by which rounding raises a log-probability above 0."""

_SCORE = re.compile(
    r'(?:"(?:score|verdict)"\s*:\s*'
    r"|^[ \t*_`]*verdict[ \t]+[0-9a-f]{6}[*_`]*\s*:[\s*_`]*)(?P<score>\d+)",
    re.IGNORECASE | re.MULTILINE,
)
"""Position of the score in a reply, see `judge.parsing`."""

_TOKEN = re.compile(r'[\s"*]*(\d{1,9})[\s"*}\]]*')


class ExpectedScore(NamedTuple):
    """How an expectation was derived."""

    by: Literal["logprobs", "samples"]
    value: float
    details: dict[str, float] | list[int]
    """Probability of each score, or the sampled scores."""

    unread: int = 0
    """Unreadable sampled replies, which do not count."""


async def expected_score(
    grader: Model, prompt: str, form: VerdictForm[T], scale: Scale, samples: int
) -> tuple[Judgement[T], ExpectedScore | None]:
    """Ask a judge for a score and its distribution.

    If the provider returns log-probabilities and every score of the scale has one digit, each score
    is weighted with its probability at the position of the judge's score. Else the judge is asked
    at temperature 1 until there are `samples` replies, and the valid ones are averaged.

    Returns:
        The judgement that explains the score, and the expectation; None without a verdict.
    """
    cache_prompt = grader.config.cache_prompt is not False  # the same prompt, possibly many times
    config = GenerateConfig(logprobs=True, top_logprobs=_ALTERNATIVES, cache_prompt=cache_prompt)
    first_judgement = await judge(grader, prompt, form, config=config)
    if first_judgement.verdict is None:
        return first_judgement, None
    expected = expectation(first_judgement.output, int(first_judgement.verdict), *scale)
    if expected is not None:
        return first_judgement, expected
    sampling_config = GenerateConfig(temperature=1, cache_prompt=cache_prompt)
    questions = [
        judge(grader, prompt, form, config=sampling_config) for _ in range(max(samples, 1))
    ]
    other_judgements = await collect_all(*questions)
    verdicts = [
        judgement.verdict for judgement in other_judgements if judgement.verdict is not None
    ]
    scores = [int(verdict) for verdict in verdicts or [first_judgement.verdict]]
    unread = len(other_judgements) - len(verdicts)
    expected = ExpectedScore("samples", statistics.fmean(scores), scores, unread)
    costs = [judgement.cost for judgement in other_judgements]
    return first_judgement.with_cost(*costs), expected


def expectation(
    output: ModelOutput | None, verdict: int, low: int, high: int
) -> ExpectedScore | None:
    """Return the expected score by token probabilities.

    None if they are unknown or invalid, if the judge's score has none, or if a score of the scale
    has two digits: a 1 may then begin a 10.
    """
    logprobs = output.choices[0].logprobs if output and output.choices else None
    token = _score_token(logprobs.content, str(verdict)) if logprobs else None
    if high > 9 or token is None or not token.top_logprobs:
        return None
    if not all(top.logprob <= _ROUNDING for top in token.top_logprobs):  # false for NaN too
        return None
    weights: dict[int, float] = {}
    for top in token.top_logprobs:
        score = _number(top.token)
        if score is not None and low <= score <= high:
            weights[score] = weights.get(score, 0.0) + math.exp(top.logprob)
    if not weights.get(verdict):
        return None
    total = sum(weights.values())
    shares = {str(score): weight / total for score, weight in sorted(weights.items())}
    return ExpectedScore("logprobs", sum(int(s) * share for s, share in shares.items()), shares)


def _number(token: str) -> int | None:
    """Return the integer of a token, ignoring spaces and JSON punctuation."""
    match = _TOKEN.fullmatch(token)
    return int(match[1]) if match else None


def _score_token(tokens: Sequence[Logprob], verdict: str) -> Logprob | None:
    """Return the token that is exactly the score; None if missing."""
    text = "".join(token.token for token in tokens)
    starts = [match.start("score") for match in _SCORE.finditer(text) if match["score"] == verdict]
    end = 0
    for token in tokens:
        end += len(token.token)
        if starts and end > starts[-1]:
            return token if _number(token.token) == int(verdict) else None
    return None
