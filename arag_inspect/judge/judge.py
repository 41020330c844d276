"""The call under every model-graded scorer: asks, parses strictly, asks once more, never guesses."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
    model_roles,
)
from inspect_ai.scorer import Score

from .._util.errors import InputError, one_line
from .._util.untrusted import ReplyParseError, prose
from ..models import context_window
from ..models.pricing import dollars, warn_of_unknown
from ..models.recorded.keys import is_recorded
from ..models.spending import from_cache
from ..prompts import fill, load_prompt
from ._calls import Streak, collect_all, generate, streak_of
from .parsing import ContradictionError, VerdictForm, verdict_tag
from .unscored import UnscoredError

DEFAULT_GRADER = "anthropic/claude-haiku-4-5-20251001"
OFFLINE = "offline/extractive"
_NAMING = (
    "--model-role grader=MODEL (arag-inspect run: --grader MODEL), or score without "
    "(-T scorers=no_grader)"
)

SEED = 54321
"""Seed of judge and extraction calls, if the provider takes one."""

T = TypeVar("T")
U = TypeVar("U")


@dataclass
class Judgement(Generic[T]):
    """One judge's answer to one question."""

    grader: str
    verdict: T | None = None
    reason: str | None = None
    """Why there is no verdict."""

    replies: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """Dollars paid; None if the price is unknown."""

    cached_usd: float = 0.0
    """Price of the replies that Inspect's cache gave, which are not paid for."""

    latency_ms: float = 0.0
    output: ModelOutput | None = None
    """The last reply as the provider gave it."""

    contradiction: str | None = None
    """How the verdict contradicts itself, though the judge was asked again."""

    @property
    def text(self) -> str:
        """The last reply as readable text."""
        return prose(self.replies[-1]) if self.replies else ""

    def add_cost(self, other: "Judgement[Any]") -> None:
        """Add the cost of another question to the same judge."""
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.latency_ms += other.latency_ms
        self.cached_usd += other.cached_usd
        has_cost = self.cost_usd is not None and other.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0) + (other.cost_usd or 0) if has_cost else None

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the verdict, for a score's metadata."""
        return {
            "grader": self.grader,
            "reason": self.reason,
            "contradiction": self.contradiction,
            "raw": self.replies,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": self.cost_usd,
            "cached_usd": self.cached_usd,
            "latency_ms": round(self.latency_ms, 1),
        }


def combined(grader: str, judgements: Sequence[Judgement[Any]]) -> Judgement[Any]:
    """Return the replies, costs and reasons of several questions to one judge together."""
    total: Judgement[Any] = Judgement(grader)
    for judgement in judgements:
        total.add_cost(judgement)
        total.replies += judgement.replies
    reasons = dict.fromkeys(judgement.reason for judgement in judgements if judgement.reason)
    total.reason = "; ".join(reasons) or None
    return total


def graders() -> list[Model]:
    """Return the models bound to the role `grader`, or the default grader.

    Raises:
        UnscoredError: No grader is bound, and the model under test has no default grader.
        InputError: No grader is bound, and the default one lacks its key.
    """
    panel = find_graders()
    if not panel:
        raise UnscoredError("no_grader", f"No grader is set: name one with {_NAMING}.")
    warn_of_unknown(panel)
    return panel


def find_graders() -> list[Model]:
    """Return the models bound to the role `grader`, or the default grader; empty if there is none.

    A recording under test grades itself, so that it needs no key. `offline/extractive` writes and
    judges nothing: it is no grader, and answers that it wrote have no default grader.

    Raises:
        InputError: No grader is bound, and the default one lacks its key.
    """
    bound = model_roles().get("grader") or []
    panel = bound if isinstance(bound, list) else [bound]
    if not panel and (default := unbound_grader(str(get_model()))):
        return [default]
    return [] if OFFLINE in map(str, panel) else panel


def default_judge(model: str) -> str | None:
    """Return the name of the judge of a model's answers if none is bound; None if there is none."""
    if model == OFFLINE:
        return None
    return model if is_recorded(model) else DEFAULT_GRADER


def unbound_grader(model: str) -> Model | None:
    """Return the grader of a model's answers if none is bound; None if there is none.

    Raises:
        InputError: It is the default grader, and lacks its key.
    """
    name = default_judge(model)
    try:
        return get_model(name) if name else None
    except Exception as error:
        raise InputError(
            f"the default grader {DEFAULT_GRADER} cannot be used ({one_line(error)}); name another "
            f"with {_NAMING}"
        ) from error


async def judge(
    grader: Model,
    prompt: str,
    form: VerdictForm[T],
    *,
    name: str | None = None,
    config: GenerateConfig | None = None,
) -> Judgement[T]:
    """Ask a judge; ask once more with the reason if the reply cannot be parsed, or contradicts itself.

    Errors of the provider, including an interrupted reply, are raised, so that Inspect
    retries or fails the sample; only an unusable reply ends without a verdict. After
    `MOST_UNREADABLE` unusable replies in a row to questions of one kind, the judge is not asked
    such a question again in this run. A verdict that still contradicts itself counts, and is marked.

    Args:
        grader: The judge.
        prompt: The question. The form of the verdict is added at its end.
        form: Form of the verdict.
        name: Name of the judge in a panel; None uses the model's.
        config: Generation settings; default temperature 0 and seed `SEED`. With a temperature there
            is no seed, so that samples differ. Set `cache_prompt` for a prompt that is sent again.

    Raises:
        InputError: The judge is `offline/extractive`.
    """
    if str(grader) == OFFLINE:
        raise InputError(f"{OFFLINE} writes by rule and judges nothing; name a language model")
    judgement: Judgement[T] = Judgement(name or str(grader))
    streak = streak_of(grader, prompt, form.shape)
    async with streak.turns:
        judgement.reason = streak.ended
        if judgement.reason is None:
            await _ask(judgement, streak, grader, prompt, form, config)
    return judgement


async def _ask(
    judgement: Judgement[T],
    streak: Streak,
    grader: Model,
    prompt: str,
    form: VerdictForm[T],
    config: GenerateConfig | None,
) -> None:
    """Ask up to twice, and note verdict and costs in the judgement."""
    tag = verdict_tag(prompt)
    refused: list[tuple[ModelOutput, ReplyParseError]] = []
    is_held = False

    def messages(as_json: bool) -> list[ChatMessage]:
        nonlocal is_held
        is_held = as_json
        instructions = form.instructions(tag, as_json=as_json)
        question = ChatMessageUser(content=f"{prompt}\n\n{instructions}")
        if not refused:
            return [question]
        ((output, error),) = refused
        return [question, output.message, _repair(error, instructions)]

    config = _verdict_config(grader, form, config)
    for _ in range(2):
        started = time.monotonic()
        broken: list[ModelOutput] = []
        output = await generate(grader, messages, config, broken)
        _note_call(judgement, grader, output, broken, time.monotonic() - started)
        reply = output.completion.replace("\r\n", "\n").replace("\r", "\n")
        judgement.replies.append(reply)
        judgement.output = output
        try:
            _refuse(output)
            judgement.verdict = form.read(reply, tag, prompt, as_json=is_held)
            judgement.reason, judgement.contradiction = None, None
            streak.add(None)
            return
        except ContradictionError as error:
            judgement.verdict, judgement.reason = error.verdict, None
            judgement.contradiction = str(error)
            streak.add(None)
            if refused:
                return
            refused.append((output, error))
        except ReplyParseError as error:
            if judgement.contradiction is not None:  # the reply before this one can be read
                return
            judgement.reason = str(error).replace(tag, "CODE")  # one reason for all questions
            if output.stop_reason == "model_length":
                return
            streak.add(judgement.reason)
            refused.append((output, error))


def _repair(error: ReplyParseError, instructions: str) -> ChatMessageUser:
    """Return the message that asks for a better reply, with the reason."""
    name = "contradiction" if isinstance(error, ContradictionError) else "repair"
    prompt = fill(load_prompt(f"judge/{name}"), reason=str(error), form=instructions)
    return ChatMessageUser(content=prompt)


def _verdict_config(
    grader: Model, form: VerdictForm[Any], config: GenerateConfig | None
) -> GenerateConfig:
    """Return the settings of a call: the verdict's schema, and no randomness by default."""
    config = context_window.sent_once(grader, config)
    config = config.model_copy(update={"response_schema": form.schema})
    if config.temperature is None:
        if config.seed is None and grader.config.seed is None:
            config.seed = SEED
        if grader.config.temperature is None:
            config.temperature = 0
    return config


def _note_call(
    judgement: Judgement[Any],
    grader: Model,
    output: ModelOutput,
    broken: Sequence[ModelOutput],
    seconds: float,
) -> None:
    """Add the time and the costs of a call, with those of its interrupted replies."""
    batch, is_cached = bool(grader.config.batch), from_cache(output)
    if not (batch or is_cached or is_recorded(grader)):  # a batch mostly waits
        judgement.latency_ms += seconds * 1000
    for paid in (*broken, output):
        _count(judgement, paid, str(grader), batch, from_cache(paid))


async def ask_panel(ask: Callable[[Model, str], Awaitable[U]]) -> list[U]:
    """Ask every grader concurrently.

    Args:
        ask: Asks one grader; its second argument is the grader's name.
    """
    panel = graders()
    return await collect_all(
        *(ask(grader, name) for grader, name in zip(panel, panel_names(panel), strict=True))
    )


async def judge_by_all(prompt: str, form: VerdictForm[T]) -> list[Judgement[T]]:
    """Ask every grader one question; see `judge`."""
    return await ask_panel(lambda grader, name: judge(grader, prompt, form, name=name))


def panel_names(panel: Sequence[Model]) -> list[str]:
    """Return a name for each grader, `NAME#2` for the second of a name."""
    names = [str(grader) for grader in panel]
    numbers = [names[: index + 1].count(name) for index, name in enumerate(names)]
    return [
        name if number == 1 else f"{name}#{number}"
        for name, number in zip(names, numbers, strict=True)
    ]


def no_verdict(judgements: list[Judgement[Any]], answer: str) -> Score:
    """Return the score of a sample on which no judge reached a verdict."""
    reasons = "; ".join(f"{judgement.grader}: {judgement.reason}" for judgement in judgements)
    return Score.unscored(
        reason="grader_failed",
        answer=answer,
        explanation=f"No judge came to a verdict ({reasons}).",
        metadata={
            "reason": reasons,
            "raw": [reply for judgement in judgements for reply in judgement.replies],
            "judges": [judgement.as_dict() for judgement in judgements],
        },
    )


def _refuse(output: ModelOutput) -> None:
    """Raise if the stop reason makes the reply unusable."""
    if output.stop_reason == "content_filter":
        raise ReplyParseError("the reply was refused")
    if output.stop_reason == "model_length":
        raise ReplyParseError("the question is over the judge's window")
    if output.stop_reason == "max_tokens":
        raise ReplyParseError("the reply was cut off; be brief")
    if not output.completion.strip():
        raise ReplyParseError("the reply is empty")


def _count(
    judgement: Judgement[Any], output: ModelOutput, grader: str, batch: bool, is_cached: bool
) -> None:
    usage = output.usage
    cost = dollars(grader, usage, batch=batch) if usage else None
    if context_window.unpaid(output):
        cost = 0.0
    if usage:
        cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        judgement.input_tokens += usage.input_tokens + cached
        judgement.output_tokens += usage.output_tokens
    if cost is None or judgement.cost_usd is None:
        judgement.cost_usd = None
    elif is_cached:
        judgement.cached_usd += cost
    else:
        judgement.cost_usd += cost
