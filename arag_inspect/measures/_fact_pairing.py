"""Let a judge match two lists of facts in both directions, and count matches by rule."""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import anyio
from inspect_ai.model import Model
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arag_inspect._util.errors import InputError, first_error
from arag_inspect._util.files import digest
from arag_inspect.judge.concurrency import collect_all
from arag_inspect.judge.judge import SEED, judge
from arag_inspect.judge.judgement import Judgement
from arag_inspect.judge.parsing import StrictModel, json_form
from arag_inspect.measures.fact_lists import NamedFact
from arag_inspect.models.request_key import asking
from arag_inspect.prompts import fence, fill, load_doc, load_prompt

Side = Literal["gold", "predicted"]

_EXAMPLE = '{"verdicts": [{"id": "ID", "reasoning": "what decides", "match": "MATCH"}, ...]}'

_TASKS: dict[Side, str] = {
    "gold": "For each, find the fact of `<predicted_facts>` that states it.",
    "predicted": "For each, find the fact of `<gold_facts>` that supports it.",
}


class Profile(BaseModel):
    """Rules for when two facts match."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    numeric_tolerance_percent: float = Field(default=0, ge=0, lt=100)
    """Largest difference of two numbers, in percent of the gold one."""

    case_insensitive_strings: bool = True
    ignore_minor_wording_diffs: bool = True
    """Whether synonyms match."""

    require_all_fields_match: bool = True
    """Whether every detail of the gold fact is required: value, unit, date, period, whether it is
    an estimate.
    """

    allow_partial_matches: bool = False
    """Whether a prediction with only the main point of a gold fact matches it."""

    advice: str = ""
    """Further instructions to the judge: the text below the front matter."""

    @cached_property
    def text(self) -> str:
        """The rules in words, for the prompt."""
        lines = [
            f"{self._numbers()}; the same number may be written otherwise ($1.2 billion, 1,200 "
            "million).",
            "Upper and lower case do not count."
            if self.case_insensitive_strings
            else "Names and words must agree in upper and lower case.",
            "Other words for the same thing match."
            if self.ignore_minor_wording_diffs
            else "Wording must be the same, articles and punctuation aside.",
            "Everything that the gold fact says must be in the other: value, unit, date, period, "
            "whether it is an estimate, an earlier state or the latest."
            if self.require_all_fields_match
            else "Details that only one of the two gives do not count; what both give must agree.",
            "A fact that has the main point of the other, or one of its figures, matches it."
            if self.allow_partial_matches
            else "A fact that has only part of the other does not match it.",
        ]
        return "\n".join(f"- {line}" for line in [*lines, *self.advice.split("\n")] if line.strip())

    @property
    def digest(self) -> str:
        """Digest that identifies the profile."""
        return digest(self.text)

    def _numbers(self) -> str:
        tolerance = self.numeric_tolerance_percent
        if tolerance:
            return f"Numbers match when they differ by at most {tolerance:g} % of the gold one"
        return "Numbers must be equal, as precisely as the less precise of the two is written"


def load_profile(profile: str | Path) -> Profile:
    """Load a built-in profile (`strict`, `lenient`) or a file with settings.

    Raises:
        InputError: The name or path is unknown, or a setting is unknown or invalid.
    """
    document = load_doc("profiles", str(profile), bare=True)
    advice = {"advice": document.body} if document.body else {}
    try:
        return Profile.model_validate({**document.front, **advice})
    except ValidationError as error:
        raise InputError(f"{document.name}: {first_error(error)}") from None


class MatchedFact(StrictModel):
    """A judge's verdict on one fact."""

    id: str
    reasoning: str
    match: str | None
    """Code of the matching fact; None without a match."""


class MatchReply(StrictModel):
    """A judge's reply about some facts."""

    verdicts: list[MatchedFact]


class Matches(NamedTuple):
    """A judge's results for the facts of both sides."""

    by_code: Mapping[str, MatchedFact]
    """By code; facts without a verdict are absent."""

    judgements: Sequence[Judgement[Any]]


class Lists(NamedTuple):
    """The facts to match, by code (`G1`, `P1`), and how a judge is asked about them."""

    gold: Mapping[str, NamedFact]
    predicted: Mapping[str, NamedFact]
    rules: str
    batch: int = 1
    """Facts per call."""

    reverse: bool = False
    """Whether the other list is shown in the opposite order."""

    async def match(self, grader: Model, limiter: anyio.CapacityLimiter) -> Matches:
        """Ask a judge which fact of the other side each fact matches.

        Facts missing from a reply are requested once more; those still missing have no entry.

        Args:
            grader: The judge.
            limiter: Limits concurrent calls.
        """
        questions = [self._ask(grader, limiter, *batch) for batch in self._batches()]
        judgements = list(chain.from_iterable(await collect_all(*questions)))
        by_code: dict[str, MatchedFact] = {}
        for judgement in judgements:
            by_code |= judgement.verdict or {}
        return Matches(by_code, judgements)

    async def _ask(
        self,
        grader: Model,
        limiter: anyio.CapacityLimiter,
        side: Side,
        codes: Sequence[str],
        retry: bool = True,
    ) -> list[Judgement[dict[str, MatchedFact]]]:
        """Ask about some facts, and once more about those missing from a readable reply."""
        others = self._other_facts(side)
        example = _EXAMPLE.replace("ID", codes[0]).replace("MATCH", next(iter(others)))
        form = json_form(MatchReply, example, wrapped=False)
        checked_form = form.then(lambda reply: read_verdicts(reply, codes, others))
        async with limiter:
            with asking(purpose="matches"):
                judgement = await judge(grader, self._prompt(side, codes), checked_form)
        if judgement.verdict is None or not retry:
            return [judgement]
        missing = [code for code in codes if code not in judgement.verdict]
        second = await self._ask(grader, limiter, side, missing, retry=False) if missing else []
        return [judgement, *second]

    def _batches(self) -> Iterator[tuple[Side, list[str]]]:
        """Yield the codes of the facts to ask about at once, with their side."""
        sides: dict[Side, list[str]] = {"gold": [*self.gold], "predicted": [*self.predicted]}
        for side, codes in sides.items():
            for start in range(0, len(codes), self.batch):
                yield side, codes[start : start + self.batch]

    def _other_facts(self, side: Side) -> Mapping[str, NamedFact]:
        return self.predicted if side == "gold" else self.gold

    def _prompt(self, side: Side, codes: Sequence[str]) -> str:
        facts = self.gold if side == "gold" else self.predicted
        others = self._other_facts(side)
        order = list(others)
        random.Random(SEED).shuffle(order)  # so that the order gives no information
        if self.reverse:
            order.reverse()
        other_side = "predicted" if side == "gold" else "gold"
        return fill(
            load_prompt("judge/match_facts"),
            rules=self.rules,
            others=_fence_facts(other_side, {code: others[code] for code in order}),
            facts=_fence_facts(side, {code: facts[code] for code in codes}),
            ids=", ".join(codes),
            tag=f"{side}_facts",
            task=_TASKS[side],
        )


def _fence_facts(side: str, facts: Mapping[str, NamedFact]) -> str:
    lines = [f"{code}: {' '.join(fact.text.split())}" for code, fact in facts.items()]
    return fence(f"{side}_facts", "\n".join(lines))


def read_verdicts(
    reply: MatchReply, codes: Collection[str], others: Collection[str]
) -> dict[str, MatchedFact]:
    """Return the valid verdicts of a reply.

    Verdicts on other facts, and matches with facts that do not exist, are ignored. Two different
    verdicts on one fact are both ignored.

    Args:
        reply: The judge's reply.
        codes: Codes of the requested facts.
        others: Codes of the candidate facts.
    """
    results: dict[str, MatchedFact] = {}
    contradictory = set()
    for verdict in reply.verdicts:
        if verdict.id not in codes or verdict.match not in (None, *others):
            continue
        if verdict.id in results and results[verdict.id].match != verdict.match:
            contradictory.add(verdict.id)
        results[verdict.id] = verdict
    return {code: result for code, result in results.items() if code not in contradictory}


VerdictRule = Literal["claimed", "disowned", "repeated"]
"""Why a verdict was changed, see `resolve`."""


class Resolved(NamedTuple):
    """The verdict on one fact."""

    verdict: Literal["TP", "FN", "FP"] | None
    """None if the judge gave none."""

    match: str | None = None
    rule: VerdictRule | None = None


def resolve(
    gold: Collection[str], predicted: Collection[str], matches: Mapping[str, str | None]
) -> dict[str, Resolved]:
    """Reconcile a judge's verdicts on both sides, fact by fact.

    1. Several predictions claim one gold fact: the first in the order of `predicted` stays TP,
       the others become FP (`repeated`).
    2. A gold fact that a prediction claims is TP, matched with that prediction, even if the judge
       found no match for it (`claimed`). This also holds if its own verdict is missing, since no
       verdict could change it.
    3. A gold fact that no prediction claims, matched with a prediction that is FP, becomes FN
       (`disowned`).
    4. Every other verdict is the judge's own.

    Afterwards each TP prediction matches a different gold fact, and that fact is TP.

    Args:
        gold: All gold facts.
        predicted: All predicted facts, in their order.
        matches: Match of each fact that has a verdict; None without a match.
    """
    claims: dict[str, str] = {}
    resolved: dict[str, Resolved] = {}
    for fact in predicted:
        match = matches.get(fact)
        if match is None:
            resolved[fact] = Resolved("FP" if fact in matches else None)
        elif claims.setdefault(match, fact) == fact:
            resolved[fact] = Resolved("TP", match)
        else:
            resolved[fact] = Resolved("FP", match, "repeated")
    for fact in gold:
        match = matches.get(fact)
        if fact in claims:
            resolved[fact] = Resolved("TP", claims[fact], None if match else "claimed")
        elif match is None:
            resolved[fact] = Resolved("FN" if fact in matches else None)
        elif match in matches and matches[match] is None:
            resolved[fact] = Resolved("FN", match, "disowned")
        else:
            resolved[fact] = Resolved("TP", match)
    return resolved


def rates(
    gold: Collection[str], predicted: Collection[str], resolved: Mapping[str, Resolved]
) -> dict[str, float]:
    """Return precision, recall and F1 of the facts with a verdict, and the bounds of F1.

    `f1_low` and `f1_high` are the lowest and highest F1 for any values of the missing verdicts.
    """
    true_gold, missing_gold = _count(resolved[fact] for fact in gold)
    true, missing = _count(resolved[fact] for fact in predicted)
    risky_facts = sum(_rests_on_unjudged(resolved[fact], resolved) for fact in gold)
    # each unjudged prediction may still claim a missed fact
    max_true_gold = min(len(gold), true_gold + missing_gold + missing)
    precision = _ratio(true, len(predicted) - missing)
    recall = _ratio(true_gold, len(gold) - missing_gold)
    return {
        "precision": precision,
        "recall": recall,
        "f1": _f1(precision, recall),
        "f1_low": _f1(_ratio(true, len(predicted)), _ratio(true_gold - risky_facts, len(gold))),
        "f1_high": _f1(_ratio(true + missing, len(predicted)), _ratio(max_true_gold, len(gold))),
    }


def _rests_on_unjudged(gold_fact: Resolved, resolved: Mapping[str, Resolved]) -> bool:
    """Return whether a gold fact is TP only because of a prediction without a verdict."""
    if gold_fact.verdict != "TP" or gold_fact.match is None:
        return False
    return resolved[gold_fact.match].verdict is None


def _count(facts: Iterable[Resolved]) -> tuple[int, int]:
    """Return the numbers of TP and of facts without a verdict."""
    verdicts = [fact.verdict for fact in facts]
    return verdicts.count("TP"), verdicts.count(None)


def _ratio(part: int, denominator: int) -> float:
    return part / denominator if denominator else 0.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
