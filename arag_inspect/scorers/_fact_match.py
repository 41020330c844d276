"""Let a judge match each fact of one list against all facts of the other, by given rules."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from inspect_ai.model import Model
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .._util.errors import InputError
from .._util.hashing import digest
from .._util.yaml_text import parse_frontmatter
from ..judge._concurrency import collect_all
from ..judge.judge import SEED, Judgement, judge
from ..judge.parsing import StrictModel, json_form
from ..prompts import built_in, fence, fill, load_prompt
from ._fact_resolution import Side

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
        """Return the rules in words, for the prompt."""
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
        if tolerance := self.numeric_tolerance_percent:
            return f"Numbers match when they differ by at most {tolerance:g} % of the gold one"
        return "Numbers must be equal, as precisely as the less precise of the two is written"


def load_profile(profile: str | Path) -> Profile:
    """Load a built-in profile (`strict`, `lenient`) or a file with settings.

    Raises:
        InputError: The name or path is unknown, or a setting is unknown or invalid.
    """
    names, path = built_in("profiles"), Path(profile).expanduser()
    if str(profile) in names:
        return _parse(load_prompt(f"profiles/{profile}"), f"profile {profile}")
    if not path.is_file():
        raise InputError(
            f"profile {str(profile)!r} is unknown; choose {' or '.join(names)}, or give the "
            "path of a JSON, YAML or Markdown file"
        )
    try:
        return _parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"profile {path} cannot be read ({error})") from None


def _parse(text: str, source: str) -> Profile:
    if not text.startswith("---"):
        text = f"---\n{text}\n---\n"  # YAML or JSON alone
    sheet = parse_frontmatter(text, source)
    try:
        return Profile.model_validate(
            {**sheet.front, **({"advice": sheet.body} if sheet.body else {})}
        )
    except ValidationError as error:
        detail = error.errors()[0]
        name = ".".join(str(part) for part in detail["loc"])
        raise InputError(f"{source}: {name}: {detail['msg']}") from None


class _MatchVerdict(StrictModel):
    id: str
    reasoning: str
    match: str | None


class MatchReply(StrictModel):
    """What a judge replies about some facts."""

    verdicts: list[_MatchVerdict]


class MatchedFact(NamedTuple):
    """A judge's result for one fact."""

    match: str | None
    """Code of the matching fact; None without a match."""

    reasoning: str


@dataclass
class Pass:
    """A judge's results for the facts of one side."""

    found: dict[str, MatchedFact] = field(default_factory=dict)
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
    done = Pass()

    async def ask(codes: Sequence[str]) -> list[str]:
        """Ask about some facts; return those missing from a readable reply."""
        others = lists.other(side)
        example = _EXAMPLE.replace("ID", codes[0]).replace("MATCH", next(iter(others)))
        form = json_form(MatchReply, example, wrapped=False)
        async with limiter:
            judgement = await judge(
                grader,
                _prompt(lists, side, codes),
                form.then(lambda reply: read_verdicts(reply, codes, others)),
            )
        done.judgements.append(judgement)
        if judgement.verdict is None:
            return []
        matching, invented = judgement.verdict
        done.found |= matching
        done.invented += invented
        return [code for code in codes if code not in done.found]

    async def ask_twice(codes: Sequence[str]) -> None:
        if missing := await ask(codes):
            done.asked_again += len(missing)
            await ask(missing)

    codes = list(lists.side(side))
    await collect_all(
        *(ask_twice(codes[start : start + batch]) for start in range(0, len(codes), batch))
    )
    return done


def _prompt(lists: Lists, side: Side, codes: Sequence[str]) -> str:
    own, other = lists.side(side), "predicted" if side == "gold" else "gold"
    return fill(
        load_prompt("judge/match_facts"),
        rules=lists.rules,
        others=_fenced(other, shuffled(lists.other(side), reverse=lists.reverse)),
        facts=_fenced(side, {code: own[code] for code in codes}),
        ids=", ".join(codes),
        tag=f"{side}_facts",
        task=_TASKS[side],
    )


def _fenced(side: str, facts: Mapping[str, str]) -> str:
    lines = [f"{code}: {' '.join(text.split())}" for code, text in facts.items()]
    return fence(f"{side}_facts", "\n".join(lines))


def read_verdicts(
    reply: MatchReply, codes: Sequence[str], others: Mapping[str, str]
) -> tuple[dict[str, MatchedFact], int]:
    """Return the valid verdicts of a reply, and the number of invented ids.

    A verdict on a fact that was not asked about, or a match with a fact that does not
    exist, is ignored and counted. Two different verdicts on one fact are both ignored.

    Args:
        reply: The judge's reply.
        codes: Codes of the requested facts.
        others: Candidate facts by code.
    """
    results: dict[str, MatchedFact] = {}
    invented, contradictory = 0, set()
    for verdict in reply.verdicts:
        if verdict.id not in codes or verdict.match not in (None, *others):
            invented += 1
            continue
        if verdict.id in results and results[verdict.id].match != verdict.match:
            contradictory.add(verdict.id)
        results[verdict.id] = MatchedFact(verdict.match, verdict.reasoning)
    valid = {code: result for code, result in results.items() if code not in contradictory}
    return valid, invented
