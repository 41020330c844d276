"""Claims that a program could not settle, put to judges one at a time."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import anyio.to_thread
from inspect_ai.model import ResponseSchema
from inspect_ai.util import json_schema
from pydantic import BaseModel

from .._util.json_reply import ReplyParseError
from ..prompts import fence, fill, load_prompt
from ..quantities import CheckedClaim
from ..text.quote_matching import SHORTEST, count_words, stand
from ._concurrency import collect_all
from .judge import Judgement, judge_by_all
from .parsing import read_choice, read_field
from .passage_ranking import PassageRanker

Outcome = Literal["supported", "contradicted", "not_found"]

_STRETCHES = 4
"""Stretches of the passages that a judge is shown for a claim."""


class _Reply(BaseModel):
    reasoning: str
    quote: str
    verdict: Outcome


_SCHEMA = ResponseSchema(name="claim", json_schema=json_schema(_Reply))


class Checked(NamedTuple):
    """What a judge found."""

    outcome: Outcome
    quote: str | None


class Settled(NamedTuple):
    """A claim with the last word on it."""

    claim: CheckedClaim
    outcome: str
    source: str | None
    by: Literal["program", "judge"] = "program"
    judges: Sequence[Judgement[Checked]] = ()

    def as_dict(self) -> dict[str, Any]:
        """Everything, fit for JSON."""
        return {
            **self.claim.as_dict(),
            "verdict": self.outcome,
            "source": self.source,
            "by": self.by,
            "program": self.claim.verdict,
        }


def settled_by_program(claims: Sequence[CheckedClaim]) -> list[Settled]:
    """Leave the last word to the program."""
    return [Settled(claim, claim.verdict, claim.source) for claim in claims]


async def settle(claims: Sequence[CheckedClaim], passages: Sequence[str]) -> list[Settled]:
    """Put what the program left open to the judges, one claim at a time.

    Args:
        claims: What the program made of each claim.
        passages: What they are checked against.

    Returns:
        One entry a claim. The judges' verdict where more than half of them agree on one; else the program's.
    """
    decided = settled_by_program(claims)
    open_ones = [
        place for place, claim in enumerate(claims) if claim.verdict in ("unsettled", "not_found")
    ]
    if not open_ones:
        return decided
    stretches = await anyio.to_thread.run_sync(PassageRanker, passages)
    found = await collect_all(*(_settle_one(claims[place], stretches) for place in open_ones))
    for place, one in zip(open_ones, found, strict=True):
        decided[place] = one
    return decided


async def _settle_one(claim: CheckedClaim, stretches: PassageRanker) -> Settled:
    shown = stretches.nearest(claim.claim, _STRETCHES)
    if claim.source and not any(claim.source in text for text in shown):
        shown.append(claim.source)
    prompt = fill(
        load_prompt("judge/claim"),
        material="\n\n".join(fence("source", text) for text in shown),
        claim=fence("claim", claim.claim, figure=claim.figure.text),
    )
    judges = await judge_by_all(prompt, partial(read_verdict, shown=shown), _SCHEMA)
    verdicts = [one.verdict for one in judges if one.verdict is not None]
    for outcome, count in Counter(one.outcome for one in verdicts).most_common(1):
        if count > len(verdicts) / 2:
            quote = next(one.quote for one in verdicts if one.outcome == outcome)
            return Settled(claim, outcome, quote or claim.source, "judge", judges)
    return Settled(claim, claim.verdict, claim.source, "program", judges)


def read_verdict(reply: str, shown: Sequence[str]) -> Checked:
    """The verdict of a reply, with the sentence it rests on.

    Raises:
        UnreadableError: There is no verdict, or its quotation does not stand in what was shown.
    """
    choice = read_choice(reply, "verdict", get_args(Outcome))
    outcome: Outcome = next(one for one in get_args(Outcome) if one == choice)
    if outcome == "not_found":
        return Checked(outcome, None)
    quote = read_field(reply, "quote").strip(" \"'“”‘’")
    if count_words(quote) < SHORTEST or not stand([quote], shown)[0]:
        raise ReplyParseError("the quotation does not stand word for word in the source")
    return Checked(outcome, quote)
