"""Let a judge match each fact of one list against all facts of the other."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import anyio
from inspect_ai.model import Model

from ...judge._concurrency import collect_all
from ...judge.judge import SEED, Judgement, judge
from ...judge.parsing import StrictModel, json_form
from ...prompts import fence, fill, load_prompt

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
    """A judge's result for one fact."""

    match: str | None
    """Code of the matching fact; None without a match."""

    reasoning: str


@dataclass
class Pass:
    """A judge's results for the facts of one side."""

    found: dict[str, Matched] = field(default_factory=dict)
    invented: int = 0
    """Ids in its replies that are unknown."""

    asked_again: int = 0
    """Facts missing from its first reply."""

    judgements: list[Judgement[Any]] = field(default_factory=list)

    @property
    def matches(self) -> dict[str, str | None]:
        """Each fact with a verdict, and its match."""
        return {code: result.match for code, result in self.found.items()}


def shuffled(facts: Mapping[str, str], *, reverse: bool = False) -> dict[str, str]:
    """Shuffle facts deterministically, so that their order gives no information.

    Args:
        facts: Texts by code.
        reverse: Return them in the opposite order, to measure what the order changes.
    """
    codes = list(facts)
    random.Random(SEED).shuffle(codes)
    return {code: facts[code] for code in (reversed(codes) if reverse else codes)}


class Lists(NamedTuple):
    """The facts to match, by code (`G1`, `P1`), and the rules."""

    gold: Mapping[str, str]
    predicted: Mapping[str, str]
    rules: str
    reverse: bool = False
    """Whether the list with which a fact is compared is shown in the opposite order."""

    def side(self, side: Side) -> Mapping[str, str]:
        """Return the facts of a side."""
        return self.gold if side == "gold" else self.predicted

    def other(self, side: Side) -> Mapping[str, str]:
        """Return the facts with which those of a side are compared."""
        return self.predicted if side == "gold" else self.gold


async def match_facts(
    grader: Model, lists: Lists, side: Side, limiter: anyio.CapacityLimiter, batch: int = 1
) -> Pass:
    """Ask a judge which fact of the other side each fact of this side matches.

    Facts missing from a reply are asked for once more; those still missing have no entry.

    Args:
        grader: The judge.
        lists: The facts.
        side: Side whose facts get verdicts.
        limiter: Limits concurrent calls.
        batch: Facts per call.
    """
    codes = list(lists.side(side))
    batches = [codes[start : start + batch] for start in range(0, len(codes), batch)]
    matcher = _Matcher(grader, lists, side, limiter)
    await collect_all(*(matcher.settle(group) for group in batches))
    return matcher.done


class _Matcher:
    """Asks about the facts of one side and collects the replies."""

    def __init__(
        self, grader: Model, lists: Lists, side: Side, limiter: anyio.CapacityLimiter
    ) -> None:
        self._grader, self._lists, self._side, self._limiter = grader, lists, side, limiter
        self._other: Side = "predicted" if side == "gold" else "gold"
        self.done = Pass()

    async def settle(self, codes: Sequence[str]) -> None:
        """Ask about some facts, and once more about those missing from the reply."""
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
            others=_fenced(self._other, shuffled(others, reverse=self._lists.reverse)),
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


def read_verdicts(reply: MatchReply, codes: Sequence[str], others: Mapping[str, str]) -> Verdicts:
    """Return the valid verdicts of a reply.

    A verdict on a fact that was not asked about, or a match with a fact that does not
    exist, is ignored and counted. Two different verdicts on one fact are both ignored.

    Args:
        reply: The judge's reply.
        codes: Codes of the requested facts.
        others: Candidate facts by code.
    """
    results: dict[str, Matched] = {}
    invented, contradictory = 0, set()
    for verdict in reply.verdicts:
        if verdict.id not in codes or verdict.match not in (None, *others):
            invented += 1
            continue
        if verdict.id in results and results[verdict.id].match != verdict.match:
            contradictory.add(verdict.id)
        results[verdict.id] = Matched(verdict.match, verdict.reasoning)
    return Verdicts(
        {code: result for code, result in results.items() if code not in contradictory}, invented
    )
