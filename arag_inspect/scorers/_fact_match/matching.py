"""The two passes of a judge over two lists of facts: each fact of the one against all of the other."""

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import anyio
from inspect_ai.model import GenerateConfig, Model

from ...judge._concurrency import collect_all
from ...judge.judge import Judgement, judge
from ...judge.parsing import StrictModel, json_form
from ...prompts import fence, fill, load_prompt

SEED = 54321
"""Seed of the judge's calls, where its provider takes one, and of the order of the other list."""

_EXAMPLE = '{"verdicts": [{"id": "ID", "reasoning": "what decides", "match": "MATCH"}, ...]}'

Side = Literal["gold", "predicted"]

_TASKS: dict[Side, str] = {
    "gold": "For each, find the fact of `<predicted_facts>` that states it.",
    "predicted": "For each, find the fact of `<gold_facts>` that bears it out.",
}


class _Verdict(StrictModel):
    id: str
    reasoning: str
    match: str | None


class MatchReply(StrictModel):
    """What a judge replies about some facts."""

    verdicts: list[_Verdict]


class Matched(NamedTuple):
    """What a judge found for one fact."""

    match: str | None
    """Code of the fact that it matches; None where none does."""

    reasoning: str


@dataclass
class Pass:
    """What a judge found for the facts of one side."""

    found: dict[str, Matched] = field(default_factory=dict)
    invented: int = 0
    """Ids in its replies that nobody gave it."""

    asked_again: int = 0
    """Facts that its first reply left out."""

    judgements: list[Judgement[Any]] = field(default_factory=list)

    @property
    def matches(self) -> dict[str, str | None]:
        """Each fact with a verdict, and what it matches."""
        return {code: one.match for code, one in self.found.items()}


def shuffled(facts: Mapping[str, str], seed: int = SEED) -> dict[str, str]:
    """Put facts into an order that says nothing, the same in every call."""
    codes = list(facts)
    random.Random(seed).shuffle(codes)
    return {code: facts[code] for code in codes}


def reshuffled(facts: Mapping[str, str]) -> dict[str, str]:
    """Put two or more facts into another order than `shuffled` does: that of the next seed that gives one."""
    usual = list(shuffled(facts))
    orders = (shuffled(facts, seed) for seed in itertools.count(SEED + 1))
    return next(order for order in orders if list(order) != usual)


class Lists(NamedTuple):
    """What is matched with what: texts by code, `G1` and `P1`, and the rules."""

    gold: Mapping[str, str]
    predicted: Mapping[str, str]
    rules: str
    order: Callable[[Mapping[str, str]], Mapping[str, str]] = shuffled
    """Puts the list into order that a fact is held against."""

    def side(self, side: Side) -> Mapping[str, str]:
        """The facts of a side."""
        return self.gold if side == "gold" else self.predicted

    def other(self, side: Side) -> Mapping[str, str]:
        """The facts that those of a side are held against."""
        return self.predicted if side == "gold" else self.gold


async def match_facts(
    grader: Model, lists: Lists, side: Side, limiter: anyio.CapacityLimiter, batch: int = 1
) -> Pass:
    """Ask a judge which fact of the other side each fact of this side matches.

    Facts that a reply leaves out are asked for once more; what is still missing has no entry.

    Args:
        grader: Who judges.
        lists: The facts.
        side: Whose facts get verdicts.
        limiter: Bounds the calls at a time.
        batch: Facts that the judge is asked about in one call.
    """
    codes = list(lists.side(side))
    batches = [codes[start : start + batch] for start in range(0, len(codes), batch)]
    matcher = _Matcher(grader, lists, side, limiter)
    await collect_all(*(matcher.settle(asked) for asked in batches))
    return matcher.done


class _Matcher:
    """Asks about the facts of one side and gathers what comes back."""

    def __init__(
        self, grader: Model, lists: Lists, side: Side, limiter: anyio.CapacityLimiter
    ) -> None:
        self._grader, self._lists, self._side, self._limiter = grader, lists, side, limiter
        self._other: Side = "predicted" if side == "gold" else "gold"
        self.done = Pass()

    async def settle(self, codes: Sequence[str]) -> None:
        """Ask about some facts, and once more about those that the reply leaves out."""
        was_read = await self._ask(codes)
        missing = [code for code in codes if code not in self.done.found]
        if was_read and missing:
            self.done.asked_again += len(missing)
            await self._ask(missing)

    async def _ask(self, codes: Sequence[str]) -> bool:
        others = self._lists.other(self._side)
        example = _EXAMPLE.replace("ID", codes[0]).replace("MATCH", next(iter(others)))
        form = json_form(MatchReply, example, wrapped=False)
        async with self._limiter:
            judgement = await judge(
                self._grader,
                self._prompt(codes),
                form.then(lambda reply: read_verdicts(reply, codes, others)),
                config=GenerateConfig(seed=SEED),
            )
        self.done.judgements.append(judgement)
        if judgement.verdict is None:
            return False
        self.done.found |= judgement.verdict.found
        self.done.invented += judgement.verdict.invented
        return True

    def _prompt(self, codes: Sequence[str]) -> str:
        own, others = self._lists.side(self._side), self._lists.other(self._side)
        return fill(
            load_prompt("judge/match_facts"),
            rules=self._lists.rules,
            others=_fenced(self._other, self._lists.order(others)),
            facts=_fenced(self._side, {code: own[code] for code in codes}),
            ids=", ".join(codes),
            tag=f"{self._side}_facts",
            task=_TASKS[self._side],
        )


def _fenced(side: Side, facts: Mapping[str, str]) -> str:
    lines = [f"{code}: {' '.join(text.split())}" for code, text in facts.items()]
    return fence(f"{side}_facts", "\n".join(lines))


class Verdicts(NamedTuple):
    """The verdicts of one reply."""

    found: dict[str, Matched]
    invented: int


def read_verdicts(reply: MatchReply, wanted: Sequence[str], others: Mapping[str, str]) -> Verdicts:
    """Return the verdicts of a reply that count.

    A verdict on a fact that was not asked about, or a match with a fact that does not
    exist, is ignored and counted. Two different verdicts on one fact are both ignored.

    Args:
        reply: The judge's reply.
        wanted: Codes of the facts it was asked about.
        others: Facts that they may match, by code.
    """
    found: dict[str, Matched] = {}
    invented, contradictory = 0, set()
    for verdict in reply.verdicts:
        if verdict.id not in wanted or verdict.match not in (None, *others):
            invented += 1
            continue
        if verdict.id in found and found[verdict.id].match != verdict.match:
            contradictory.add(verdict.id)
        found[verdict.id] = Matched(verdict.match, verdict.reasoning)
    return Verdicts(
        {code: one for code, one in found.items() if code not in contradictory}, invented
    )
