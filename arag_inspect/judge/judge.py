"""The judge under every model-graded scorer: asks, reads tolerantly, asks once more, never guesses."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, TypeVar

from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    get_model,
    model_roles,
)
from inspect_ai.scorer import Score
from inspect_ai.util import json_schema
from pydantic import BaseModel

from .._util.errors import InputError, one_line
from .._util.json_reply import ReplyParseError, prose, read_json
from ..models import context_window
from ..models.pricing import dollars, warn_of_unknown
from ..prompts import fill, load_prompt
from ._concurrency import collect_all
from ._tail import is_unhedged

DEFAULT_GRADER = "anthropic/claude-haiku-4-5-20251001"
OFFLINE = "offline/extractive"

T = TypeVar("T")


@dataclass
class Judgement(Generic[T]):
    """What one judge made of one question."""

    grader: str
    verdict: T | None = None
    reason: str | None = None
    """Why there is no verdict."""

    replies: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    latency_ms: float = 0.0
    output: ModelOutput | None = None
    """The last reply as the provider gave it."""

    @property
    def said(self) -> str:
        """Its last reply, to be read by people."""
        return prose(self.replies[-1]) if self.replies else ""

    def pay(self, other: "Judgement[Any]") -> None:
        """Take over what another question to the same judge has cost."""
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.latency_ms += other.latency_ms
        known = self.cost_usd is not None and other.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0) + (other.cost_usd or 0) if known else None

    def lost(self, reason: str | None) -> "Judgement[Any]":
        """The same, replies and cost, as a judgement that came to nothing."""
        return replace(self, verdict=None, reason=reason)

    def as_dict(self) -> dict[str, Any]:
        """For a score's metadata; the verdict itself is the scorer's to show."""
        return {
            "grader": self.grader,
            "reason": self.reason,
            "raw": self.replies,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": self.cost_usd,
            "latency_ms": round(self.latency_ms, 1),
        }


def graders() -> list[Model]:
    """The models bound to the role `grader`, one or several; ours where none is.

    Where `offline/extractive` is the model under test and no grader is bound,
    it judges as well, so that a run without a key stays without one.

    Raises:
        InputError: None is bound, and the default one lacks its key.
    """
    if panel := _bound():
        warn_of_unknown(panel)
        return panel
    return [unbound_grader(str(get_model()))]


def unbound_grader(model: str) -> Model:
    """The grader of answers of a model where none is bound.

    Raises:
        InputError: It is the default one, and lacks its key.
    """
    try:
        return get_model(OFFLINE if model == OFFLINE else DEFAULT_GRADER)
    except Exception as error:
        raise InputError(
            f"the default grader {DEFAULT_GRADER} cannot be used ({one_line(error)}); name another with "
            "--model-role grader=MODEL (arag-inspect run: --grader MODEL), or score without (-T scorers=no_grader)"
        ) from error


def judged_by_rule() -> bool:
    """Whether every judge is `offline/extractive`: bound to the role `grader`, or the model under test where none is."""
    if panel := _bound():
        return all(str(one) == OFFLINE for one in panel)
    try:
        return str(get_model()) == OFFLINE
    except ValueError:  # called outside of a run, where there is no model under test
        return False


def _bound() -> list[Model]:
    bound = model_roles().get("grader") or []
    return bound if isinstance(bound, list) else [bound]


async def judge(
    grader: Model,
    prompt: str,
    read: Callable[[str], T],
    schema: ResponseSchema | None = None,
    config: GenerateConfig | None = None,
) -> Judgement[T]:
    """Put a question to a judge; where the reply cannot be read, once more with the reason.

    Faults of the provider, a reply broken off among them, are raised, so that
    Inspect retries or fails the sample; only what the judge itself says wrongly ends without a verdict.

    Args:
        grader: Who judges.
        prompt: The question.
        read: Makes a verdict of a reply, or raises `ReplyParseError`.
        schema: Form of the reply for providers that can hold a model to one; others are asked for it in words.
        config: How to ask, where it is not at temperature 0, and not once: `cache_prompt` is for a prompt that is put again.
    """
    found: Judgement[T] = Judgement(str(grader))
    messages: list[ChatMessage] = [ChatMessageUser(content=prompt)]
    config = context_window.sent_once(grader, config).model_copy(update={"response_schema": schema})
    if config.temperature is None and grader.config.temperature is None:
        config.temperature = 0
    for _ in range(2):
        started = time.monotonic()
        output = await context_window.generate(grader, messages, config=config)
        batch = bool(grader.config.batch)
        if not batch:  # there it is waiting
            found.latency_ms += (time.monotonic() - started) * 1000
        _count(found, output, str(grader), batch)
        reply = output.completion.replace("\r\n", "\n").replace("\r", "\n")
        found.replies.append(reply)
        found.output = output
        try:
            _refuse(output)
            found.verdict, found.reason = read(reply), None
            return found
        except ReplyParseError as error:
            found.reason = str(error)
            if output.stop_reason == "model_length":
                break
            repair = fill(load_prompt("judge/repair"), reason=found.reason)
            messages += [output.message, ChatMessageUser(content=repair)]
    return found


async def judge_by_all(
    prompt: str, read: Callable[[str], T], schema: ResponseSchema | None = None
) -> list[Judgement[T]]:
    """Put a question to every grader at once; see `judge`."""
    panel = graders()
    found = await collect_all(*(judge(grader, prompt, read, schema) for grader in panel))
    for one, name in zip(found, panel_names(panel), strict=True):
        one.grader = name
    return found


def panel_names(panel: Sequence[Model]) -> list[str]:
    """A name for each grader, `NAME#2` for the second of a name, so that verdicts are kept apart."""
    names = [str(grader) for grader in panel]
    numbers = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [
        name if number == 1 else f"{name}#{number}"
        for name, number in zip(names, numbers, strict=True)
    ]


@cache
def reply_form(name: str, kind: type[BaseModel]) -> ResponseSchema:
    """The form that a reply should have, worked out once and not for every question: it takes milliseconds.

    Args:
        name: What providers call it.
        kind: Its fields.
    """
    return ResponseSchema(name=name, json_schema=json_schema(kind))


def no_verdict(judgements: list[Judgement[Any]], answer: str) -> Score:
    """The score where no judge came to a verdict."""
    reasons = "; ".join(f"{one.grader}: {one.reason}" for one in judgements)
    return Score.unscored(
        reason="grader_failed",
        answer=answer,
        explanation=f"No judge came to a verdict ({reasons}).",
        metadata={
            "reason": reasons,
            "raw": [reply for one in judgements for reply in one.replies],
            "judges": [one.as_dict() for one in judgements],
        },
    )


_FINAL = re.compile(
    r"^[ \t*_`#•–—+-]*final[ _]score[ \t*_`]*:[\s*_`]*(?P<score>[-+]?\d+(?:[.,]\d+)?)"
    r"(?:\s*(?:/|(?:out\s)?of)\s*(?P<most>\d+))?(?P<rest>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(
    r"[\d¼-¾]|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|half|quarter|percent)\b|%",
    re.IGNORECASE,
)


def read_final_score(reply: str, low: int, high: int) -> int:
    """The one integer that a reply gives as its final score.

    Read from the key `final_score` of a JSON object that stands by itself, and
    from lines that begin with `Final score:`, which a quotation does not. Two
    different scores, a fraction, a score out of range or on another scale, and
    a number that its line goes on to change ("4-5", "4, maybe 3") are no score.

    Raises:
        UnreadableError: There is no such integer.
    """
    record = read_json(reply, apart=True) or {}
    scores = {_integer(record["final_score"], low, high)} if "final_score" in record else set()
    scores |= {_stated(line, low, high) for line in _FINAL.finditer(reply)}
    if not scores:
        raise ReplyParseError("there is no line `Final score: N`")
    if len(scores) > 1:
        raise ReplyParseError(f"there are several final scores: {sorted(scores)}")
    return scores.pop()


def _stated(line: re.Match[str], low: int, high: int) -> int:
    if line["most"] is not None and float(line["most"]) != high:
        raise ReplyParseError(f"the score is out of {line['most'][:40]}, not out of {high}")
    if not is_unhedged(line["rest"], _NUMBER):
        shown = f"{line['score']}{line['rest']}"[:40]
        raise ReplyParseError(f"the final score {shown!r} is not one number and nothing else")
    return _integer(line["score"], low, high)


def _integer(value: object, low: int, high: int) -> int:
    try:
        number = float(str(value).replace(",", "."))
    except ValueError:
        raise ReplyParseError(f"the final score {str(value)[:40]!r} is not a number") from None
    if isinstance(value, bool) or not number.is_integer():
        raise ReplyParseError(f"the final score {str(value)[:40]} is not an integer")
    if not low <= number <= high:
        raise ReplyParseError(f"the final score {str(value)[:40]} is not from {low} to {high}")
    return int(number)


def _refuse(output: ModelOutput) -> None:
    """Tell what the stop reason already says."""
    if output.stop_reason == "content_filter":
        raise ReplyParseError("the reply was refused")
    if output.stop_reason == "model_length":
        raise ReplyParseError("the question is over the judge's window")
    if output.stop_reason == "max_tokens":
        raise ReplyParseError("the reply was cut off; be brief")
    if not output.completion.strip():
        raise ReplyParseError("the reply is empty")


def _count(found: Judgement[Any], output: ModelOutput, grader: str, batch: bool) -> None:
    usage = output.usage
    cost = dollars(grader, usage, batch=batch) if usage else None
    if usage:
        cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        found.input_tokens += usage.input_tokens + cached
        found.output_tokens += usage.output_tokens
    if cost is None or found.cost_usd is None:
        found.cost_usd = None
    else:
        found.cost_usd += cost
