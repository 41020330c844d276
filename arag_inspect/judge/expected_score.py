"""A judge's score as an expectation instead of one integer (Liu et al., EMNLP 2023, section 2)."""

import math
import re
import statistics
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from inspect_ai.model import GenerateConfig, Logprob, Model, ModelOutput, ResponseSchema

from ._concurrency import collect_all
from .judge import Judgement, judge, read_final_score

_ALTERNATIVES = 20
_FINAL = re.compile(
    r"""(?:"final_score"\s*:\s*"?|^[ \t*_`#•–—+-]*final[ _]score[ \t*_`]*:[\s*_`]*)(?P<score>\d+)""",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a reply gives its final score, as `read_final_score` reads it."""

_TOKEN = re.compile(r'[\s"*]*(\d{1,9})[\s"*}\]]*')


class ExpectedScore(NamedTuple):
    """How an expectation came about."""

    by: str
    """`logprobs` or `samples`."""

    value: float
    details: dict[str, float] | list[int]
    """Probability of each score, or the sampled scores."""

    def as_dict(self) -> dict[str, Any]:
        """For a score's metadata."""
        return self._asdict()


async def expected_score(
    grader: Model, prompt: str, low: int, high: int, schema: ResponseSchema, samples: int
) -> tuple[Judgement[int], ExpectedScore | None]:
    """Ask a judge for a score, and for how sure it is.

    Where the provider returns log-probabilities, each score is weighted with
    its probability at the place where the judge gave its own. Where it does
    not, the judge is asked at temperature 1 until there are `samples` replies,
    and those that can be read are averaged.

    Returns:
        The judgement that explains the score, and the expectation; None without a verdict.
    """
    read = partial(read_final_score, low=low, high=high)
    again = grader.config.cache_prompt is not False  # the same prompt, perhaps many times
    asking = GenerateConfig(logprobs=True, top_logprobs=_ALTERNATIVES, cache_prompt=again)
    first = await judge(grader, prompt, read, schema, asking)
    if first.verdict is None:
        return first, None
    known = expectation(first.output, first.verdict, low, high)
    if known is not None:
        return first, known
    warm = GenerateConfig(temperature=1, cache_prompt=again)
    others = await collect_all(
        *(judge(grader, prompt, read, schema, warm) for _ in range(max(samples, 1)))
    )
    for one in others:
        first.pay(one)
    scores = [one.verdict for one in others if one.verdict is not None] or [first.verdict]
    return first, ExpectedScore("samples", statistics.fmean(scores), scores)


def expectation(
    output: ModelOutput | None, verdict: int, low: int, high: int
) -> ExpectedScore | None:
    """The expected score by the probabilities of the token that gave it; None where they are not known."""
    logprobs = output.choices[0].logprobs if output and output.choices else None
    place = _place(logprobs.content, str(verdict)) if logprobs else None
    if place is None or not place.top_logprobs:
        return None
    weights: dict[int, float] = {}
    for top in place.top_logprobs:
        score = _number(top.token)
        if score is not None and low <= score <= high:
            weights[score] = weights.get(score, 0.0) + math.exp(top.logprob)
    total = sum(weights.values())
    if not total:
        return None
    shares = {str(score): weight / total for score, weight in sorted(weights.items())}
    return ExpectedScore("logprobs", sum(int(s) * share for s, share in shares.items()), shares)


def _number(token: str) -> int | None:
    """The whole number that a token is, with what may cling to it in JSON."""
    found = _TOKEN.fullmatch(token)
    return int(found[1]) if found else None


def _place(tokens: Sequence[Logprob], verdict: str) -> Logprob | None:
    """The token that is the final score; None where there is none, or it holds more or less."""
    text = "".join(one.token for one in tokens)
    starts = [found.start("score") for found in _FINAL.finditer(text) if found["score"] == verdict]
    end = 0
    for one in tokens:
        end += len(one.token)
        if starts and end > starts[-1]:
            return one if _number(one.token) == int(verdict) else None
    return None
