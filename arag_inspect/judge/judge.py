"""The call behind every model-graded scorer: ask, parse strictly, retry once, never guess."""

import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from inspect_ai.model import ChatMessage, ChatMessageUser, GenerateConfig, Model, ModelOutput

from .._util.errors import InputError
from ..models.call import is_unpaid, one_off_config
from ..models.pricing import dollars, total_input_tokens
from ..models.recorded import is_recorded
from ..models.reply_cache import is_from_cache
from ..prompts import fill, load_prompt
from ..text.replies import ReplyParseError
from .judgement import Judgement, JudgingCost
from .panel import OFFLINE, ask_panel
from .parsing import ContradictionError, VerdictForm, verdict_code
from .refused_settings import AcceptedCall, call_with_accepted_settings
from .streaks import Streak, streak_of

SEED = 54321
"""Seed of judge and extraction calls, if the provider takes one."""

T = TypeVar("T")


async def judge(
    grader: Model,
    prompt: str,
    form: VerdictForm[T],
    *,
    name: str | None = None,
    config: GenerateConfig | None = None,
) -> Judgement[T]:
    """Ask a judge, and retry once with the reason if the reply is unusable or contradicts itself.

    Errors of the provider, such as an interrupted reply, are raised, so that Inspect retries or
    fails the sample; only an unusable reply ends without a verdict. After `MOST_UNREADABLE`
    unusable replies in a row to questions of one kind, no further question of the kind begins in
    this run. A verdict that contradicts itself twice counts, and is marked.

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
        raise InputError(f"{OFFLINE} writes by rule and cannot judge; name a language model")
    name = name or str(grader)
    streak = streak_of(grader, prompt, form.shape)
    if streak.ended is not None:
        return Judgement(name, reason=streak.ended)
    return await _ask(streak, grader, name, prompt, form, config)


class _JudgeReply(NamedTuple, Generic[T]):
    """A judge's reply to a question."""

    output: ModelOutput
    text: str
    cost: JudgingCost
    verdict: T | None = None
    fault: str | None = None
    """Why the verdict is missing, or how it contradicts itself."""

    def unread_reason(self, code: str) -> str | None:
        """Return why the verdict is missing, in the same words for every question."""
        if not self.fault or self.verdict is not None:
            return None
        return re.sub("^it is ", "the reply is ", self.fault.replace(code, "CODE"))


async def _ask(
    streak: Streak,
    grader: Model,
    name: str,
    prompt: str,
    form: VerdictForm[T],
    config: GenerateConfig | None,
) -> Judgement[T]:
    """Ask up to twice; the last reply with a verdict counts."""
    code = verdict_code(prompt)
    config = _verdict_config(grader, form, config)
    replies: list[_JudgeReply[T]] = []

    def messages(as_json: bool) -> list[ChatMessage]:
        instructions = form.instructions(code, as_json=as_json)
        question = ChatMessageUser(content=f"{prompt}\n\n{instructions}")
        if not replies:
            return [question]
        refused = replies[-1]
        return [question, refused.output.message, _repair_message(refused, instructions)]

    for _ in range(2):
        started = time.monotonic()
        call = await call_with_accepted_settings(grader, messages, config)
        cost = _cost_of(call, grader, time.monotonic() - started)
        read_form = partial(form.read, code=code, prompt=prompt, as_json=call.is_held)
        reply = _read_reply(call.output, cost, read_form)
        replies.append(reply)
        is_too_long = reply.output.stop_reason == "model_length"
        if is_too_long or (reply.verdict is None and replies[0].verdict is not None):
            break
        streak.add(reply.unread_reason(code))
        if reply.fault is None:
            break
    deciding = next((reply for reply in reversed(replies) if reply.verdict is not None), reply)
    return Judgement(
        name,
        verdict=deciding.verdict,
        reason=deciding.unread_reason(code),
        replies=[reply.text for reply in replies],
        cost=sum((reply.cost for reply in replies), JudgingCost()),
        output=replies[-1].output,
        contradiction=None if deciding.verdict is None else deciding.fault,
    )


def _read_reply(output: ModelOutput, cost: JudgingCost, read: Callable[[str], T]) -> _JudgeReply[T]:
    """Read the verdict of a reply, or a fault that the judge may repair."""
    text = output.completion.replace("\r\n", "\n").replace("\r", "\n")
    try:
        _check_usable(output)
        return _JudgeReply(output, text, cost, read(text))
    except ContradictionError as error:
        return _JudgeReply(output, text, cost, error.verdict, str(error))
    except ReplyParseError as error:
        return _JudgeReply(output, text, cost, fault=str(error))


def _repair_message(reply: _JudgeReply[Any], instructions: str) -> ChatMessageUser:
    """Return the message that asks for a better reply, with the reason."""
    name = "repair" if reply.verdict is None else "contradiction"
    prompt = fill(load_prompt(f"judge/{name}"), reason=reply.fault, form=instructions)
    return ChatMessageUser(content=prompt)


def _verdict_config(
    grader: Model, form: VerdictForm[Any], config: GenerateConfig | None
) -> GenerateConfig:
    """Return the settings of a call: the verdict's schema, and no randomness by default."""
    config = one_off_config(grader, config)
    config = config.model_copy(update={"response_schema": form.schema})
    if config.temperature is None:
        if config.seed is None and grader.config.seed is None:
            config.seed = SEED
        if grader.config.temperature is None:
            config.temperature = 0
    return config


def _cost_of(call: AcceptedCall, grader: Model, seconds: float) -> JudgingCost:
    """Return the time and the price of a call, including its interrupted replies."""
    is_batch = bool(grader.config.batch)
    cost = JudgingCost()
    if not (is_batch or is_from_cache(call.output) or is_recorded(grader)):  # a batch mostly waits
        cost = JudgingCost(latency_ms=seconds * 1000)
    for output in (*call.broken_outputs, call.output):
        cost += _price_of(output, str(grader), is_batch)
    return cost


def _price_of(output: ModelOutput, grader: str, batch: bool) -> JudgingCost:
    usage = output.usage
    price = dollars(grader, usage, batch=batch) if usage else None
    if is_unpaid(output):
        price = 0.0
    cached_usd = 0.0
    if price is not None and is_from_cache(output):
        cached_usd, price = price, 0.0
    if usage is None:
        return JudgingCost(cost_usd=price, cached_usd=cached_usd)
    return JudgingCost(total_input_tokens(usage), usage.output_tokens, price, cached_usd)


async def judge_by_all(prompt: str, form: VerdictForm[T]) -> list[Judgement[T]]:
    """Ask every grader one question; see `judge`."""
    return await ask_panel(lambda grader, name: judge(grader, prompt, form, name=name))


def _check_usable(output: ModelOutput) -> None:
    """Raise if the stop reason makes the reply unusable."""
    if output.stop_reason == "content_filter":
        raise ReplyParseError("the reply was refused")
    if output.stop_reason == "model_length":
        raise ReplyParseError("the question is over the judge's window")
    if output.stop_reason == "max_tokens":
        raise ReplyParseError("the reply was cut off; be brief")
    if not output.completion.strip():
        raise ReplyParseError("the reply is empty")
