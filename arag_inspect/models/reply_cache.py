"""Keep paid replies in Inspect's cache, and reuse them when a set of runs is resumed."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from hashlib import sha256
from weakref import WeakKeyDictionary, WeakValueDictionary

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.log import Transcript, transcript
from inspect_ai.model import CachePolicy, ChatMessage, GenerateConfig, Model, ModelOutput

from .._util.files import digest
from .pricing import known_price
from .recorded import is_recorded

_scope: ContextVar[str] = ContextVar("arag_inspect_scope", default="")
_conditions: ContextVar[str] = ContextVar("arag_inspect_conditions", default="")
_times_asked: WeakKeyDictionary[Transcript, Counter[str]] = WeakKeyDictionary()
_locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

_QUESTION = "question"
"""Scope with the digest of a question."""


@contextmanager
def answering(scope: str, conditions: str = "") -> Iterator[None]:
    """Separate the replies of a system to a sample from all other replies.

    Args:
        scope: Identifies the system and the sample.
        conditions: Digest of everything except the conversation that the answers depend on; a reply
            given under other conditions is not reused.
    """
    tokens = _scope.set(scope), _conditions.set(conditions)
    try:
        yield
    finally:
        _scope.reset(tokens[0])
        _conditions.reset(tokens[1])


def is_answering() -> bool:
    """Return whether a system is answering a sample; judges make all other calls."""
    return bool(_scope.get())


def with_conditions(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return messages with the conditions of `answering` in the first one's metadata.

    Providers do not see metadata, but it is part of Inspect's cache key. A cache that the user
    turned on thus distinguishes conditions too.
    """
    marked_messages = list(messages)
    conditions = _conditions.get()
    if marked_messages and conditions:
        metadata = {**(marked_messages[0].metadata or {}), "conditions": conditions}
        marked_messages[0] = marked_messages[0].model_copy(update={"metadata": metadata})
    return marked_messages


def with_cache(
    config: GenerateConfig, model: Model, messages: Sequence[ChatMessage], eval_set: str
) -> GenerateConfig:
    """Return settings with which Inspect keeps a reply for one set of runs.

    A system's question is identified within one sample and epoch, and repeating it there makes
    another question, so that repeated draws stay independent. A judge's question is identified by
    its text alone. Replies of models that cost nothing are not kept.

    Args:
        config: Settings of the call.
        model: Model to ask.
        messages: Conversation.
        eval_set: Inspect's id of the set of runs; empty to keep nothing.
    """
    if not eval_set or is_recorded(model):
        return config
    cost = known_price(model)
    if cost is not None and not (cost.input or cost.output):
        return config
    text = "\n".join(message.model_dump_json(exclude={"id"}) for message in messages)
    question = sha256(f"{model}\n{config.model_dump_json()}\n{text}".encode()).hexdigest()
    counts = _times_asked.setdefault(transcript(), Counter())
    counts[question] += 1
    scopes = {
        "set": eval_set,
        "of": _scope.get(),
        "conditions": _conditions.get(),
        _QUESTION: question,
        "asking": str(counts[question]),
    }
    return config.model_copy(update={"cache": CachePolicy(scopes=scopes)})


@asynccontextmanager
async def one_at_a_time(config: GenerateConfig) -> AsyncIterator[None]:
    """Wait while another sample asks the same question, to reuse its reply.

    Args:
        config: Settings made by `with_cache`.
    """
    scopes = _scopes(config)
    if not scopes:
        yield
        return
    lock = _locks.setdefault(json.dumps(scopes), anyio.Lock())
    async with lock:
        yield


def question_digest(model: Model, config: GenerateConfig) -> str:
    """Return a digest of a question whose reply is kept; empty if it is not kept.

    Args:
        model: Model that is asked.
        config: Settings made by `with_cache`.
    """
    scopes = _scopes(config)
    return digest(str(model), *scopes.values()) if scopes else ""


def _scopes(config: GenerateConfig) -> dict[str, str]:
    """Return the scopes set by `with_cache`; empty if there are none."""
    scopes = config.cache.scopes if isinstance(config.cache, CachePolicy) else {}
    return scopes if _QUESTION in scopes else {}


def is_from_cache(output: ModelOutput) -> bool:
    """Return whether a reply came from Inspect's cache."""
    event = event_of(output)
    return event is not None and event.cache == "read"


def event_of(output: ModelOutput) -> ModelEvent | None:
    """Return the last event of the call that gave a reply, or None."""
    reply_ids = {choice.message.id for choice in output.choices}
    for event in reversed(transcript().events):
        if not (isinstance(event, ModelEvent) and event.output.choices):
            continue
        if event.output.message.id in reply_ids:
            return event
    return None
