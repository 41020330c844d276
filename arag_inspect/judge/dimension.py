"""One judge's ruling on one answer, against one material, by given criteria."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from inspect_ai.model import Model
from pydantic import BaseModel

from .._util.json_reply import read_json
from ..prompts import fence, fill, load_prompt
from ..text.quote_matching import quotations, stand
from ..types.scale import Scale
from .criteria import Criteria
from .expected_score import ExpectedScore, expected_score
from .grounding import Unsupported, read_unsupported
from .judge import Judgement, judge, read_final_score, reply_form
from .long_source import quote_by_part, source_limit

_LINE = re.compile(
    r"^[\W_]*criterion\s*(?P<number>\d+)(?P<text>.*?)"
    r"(?=^[\W_]*(?:criterion\s*\d+|unsupported\b|final[ _]score)|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_SCORE = re.compile(r"score\W*(\d+)\W*$", re.IGNORECASE)


class JudgedAgainst(NamedTuple):
    """What an answer is held against."""

    tag: str
    """`source`, `reference`, or `none`."""

    origin: str = ""
    texts: Sequence[str] = ()


class DimensionVerdict(NamedTuple):
    """What a judge made of an answer."""

    judgement: Judgement[int]
    criteria: Criteria
    value: float | None
    """The integer, or the expected score where that was asked for; None without a verdict."""

    weighing: ExpectedScore | None = None
    unsupported: Sequence[Unsupported] = ()
    quotes: Sequence[tuple[str, bool]] = ()
    """What the reasoning quotes, and whether it stands in the material or the answer."""

    parts: int = 1
    """In how many parts the source was read."""

    def as_dict(self) -> dict[str, Any]:
        """For a score's metadata."""
        shown = {
            **self.judgement.as_dict(),
            "verdict": self.value,
            "criteria": [] if self.value is None else _by_criterion(self.judgement, self.criteria),
            "unsupported": [one.model_dump() for one in self.unsupported],
            "quotes": [{"text": text, "stands": stands} for text, stands in self.quotes],
            "parts": self.parts,
        }
        return shown | ({"weighing": self.weighing.as_dict()} if self.weighing else {})

    def explanation(self) -> str:
        """The whole reasoning, and which quotations do not stand."""
        missing = [text for text, stands in self.quotes if not stands]
        notes = [f"Quoted, but not found in the material: “{text}”" for text in missing]
        return "\n".join([self.judgement.said, *notes])


class _CriterionVerdict(BaseModel):
    name: str
    reasoning: str
    score: int


class _Reply(BaseModel):
    criteria: list[_CriterionVerdict]
    final_score: int


class _SourceReply(BaseModel):
    criteria: list[_CriterionVerdict]
    unsupported: list[Unsupported]
    final_score: int


async def judge_dimension(
    grader: Model,
    criteria: Criteria,
    scale: Scale,
    held: JudgedAgainst,
    answer: str,
    *,
    samples: int = 0,
    max_source_tokens: int | None = None,
) -> DimensionVerdict:
    """Have a judge rule.

    Args:
        grader: Who judges.
        criteria: By what.
        scale: Lowest and highest score.
        held: Against what. A source longer than the judge's window is read in parts.
        answer: What is judged.
        samples: Replies to average for an expected score where there are no log-probabilities; 0 asks for the integer.
        max_source_tokens: Longest source that is shown at once; None goes by the judge's window.
    """
    limit = source_limit(grader, max_source_tokens)
    texts, parts, spent = held.texts, 1, None
    if held.tag == "source" and sum(map(len, texts)) > limit:
        spent = await quote_by_part(grader, texts, limit, answer)
        if spent.verdict is None:
            return DimensionVerdict(spent.lost(spent.reason), criteria, None)
        parts = len(spent.replies)
        held = JudgedAgainst("source", f"quotations from {held.origin}", spent.verdict)
    prompt = _prompt(criteria, scale, held, answer)
    found, weighing = await _put(grader, prompt, scale, held, samples)
    if spent is not None:
        found.pay(spent)
    if found.verdict is None:
        return DimensionVerdict(found, criteria, None, parts=parts)
    reply = found.replies[-1]
    quotes = quotations(reply)
    return DimensionVerdict(
        found,
        criteria,
        weighing.value if weighing else found.verdict,
        weighing,
        read_unsupported(reply) if held.tag == "source" else (),
        list(zip(quotes, stand(quotes, [*texts, answer]), strict=True)),
        parts,
    )


def _prompt(criteria: Criteria, scale: Scale, held: JudgedAgainst, answer: str) -> str:
    material = ""
    if held.tag != "none":
        origin = {"origin": held.origin} if held.origin else {}
        material = fence(held.tag, "\n\n".join(held.texts), **origin)
    listing = load_prompt("judge/geval_unsupported") + "\n" if held.tag == "source" else ""
    return fill(
        load_prompt("judge/geval"),
        dimension=criteria.dimension,
        definition=criteria.definition,
        criteria=criteria.text,
        low=scale.low,
        high=scale.high,
        material=material,
        summary=fence("summary", answer),
        unsupported=listing,
    )


async def _put(
    grader: Model, prompt: str, scale: Scale, held: JudgedAgainst, samples: int
) -> tuple[Judgement[int], ExpectedScore | None]:
    form = _SourceReply if held.tag == "source" else _Reply
    schema = reply_form("verdict", form)
    if samples:
        return await expected_score(grader, prompt, *scale, schema, samples)
    read = partial(read_final_score, low=scale.low, high=scale.high)
    return await judge(grader, prompt, read, schema), None


def _by_criterion(judgement: Judgement[int], used: Criteria) -> list[dict[str, Any]]:
    """Reasoning and score by criterion, as far as the reply gives them."""
    reply = judgement.replies[-1] if judgement.replies else ""
    record = read_json(reply)
    if record is not None and isinstance(record.get("criteria"), list):
        return [one for one in record["criteria"] if isinstance(one, dict)]
    found = []
    for match in _LINE.finditer(reply):
        number, text = int(match["number"]), match["text"].strip(" :*\n")
        name = used.names[number - 1] if 0 < number <= len(used.names) else str(number)
        given = _SCORE.search(text)
        found.append({"name": name, "reasoning": text, "score": int(given[1]) if given else None})
    return found
