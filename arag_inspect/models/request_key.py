"""The subject of a request: the key under which its reply can be replayed.

A provider sees messages, not samples or scorers, so systems and scorers declare with `asking` what
their requests are about. The key is kept in the metadata of the first message, which providers do
not send and logs keep, so that concurrent requests cannot be confused. It leaves out the sample,
which the log knows: Inspect's cache distinguishes requests by metadata, and a judge's reply to the
same text may serve several samples.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

from inspect_ai.log import Transcript, transcript
from inspect_ai.model import ChatMessage
from pydantic import BaseModel, ConfigDict, ValidationError

_REQUEST = "request"
"""Key of the metadata."""

_SHARED = "shared"
"""Key within the metadata of requests whose replies serve every sample."""

_OF_SAMPLE = {"system", "sample", "epoch"}


class RequestKey(BaseModel):
    """The subject of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str = ""
    sample: str = ""
    """Id of the sample; empty for requests made once for all of them."""

    epoch: int = 1
    scorer: str = ""
    """Scorer that asks; empty for the system itself."""

    purpose: str = ""
    """Purpose, e.g. `criteria`; empty for an answer or a verdict."""

    part: str = ""
    """Subject, if a scorer asks about several, e.g. a claim."""

    place: str = ""
    """Position among the requests that were made together, e.g. `2`."""

    number: int = 1
    """Counts identical requests, from 1."""

    turn: int = 1
    """Number of the reply in its conversation."""

    @property
    def is_of_judge(self) -> bool:
        """Whether a scorer asks or has its criteria written, as opposed to a system."""
        return bool(self.scorer) or not self.system

    def describe(self) -> str:
        """Describe the fields that are set, e.g. `system arag, sample A, turn 2`."""
        fields = self.model_dump(exclude_defaults=True)
        return ", ".join(f"{name} {value}" for name, value in fields.items())


_NOTHING = RequestKey()
_key: ContextVar[RequestKey] = ContextVar("arag_inspect_request", default=_NOTHING)
_numbers: WeakKeyDictionary[Transcript, Counter[RequestKey]] = WeakKeyDictionary()


@contextmanager
def asking(**fields: Any) -> Iterator[None]:
    """Declare the subject of a block's requests.

    Args:
        fields: Fields of `RequestKey`; fields of an enclosing block stay unchanged.
    """
    token = _key.set(_key.get().model_copy(update=fields))
    try:
        yield
    finally:
        _key.reset(token)


@contextmanager
def asking_together(position: int) -> Iterator[None]:
    """Declare that the requests of a block are made together with others.

    Args:
        position: Position of the block among them, from 1.
    """
    outer = _key.get().place
    with asking(place=f"{outer}.{position}".lstrip(".")):
        yield


@contextmanager
def asking_for_all(**fields: Any) -> Iterator[None]:
    """Declare the subject of requests whose replies serve every sample and system; see `asking`."""
    with asking(system="", sample="", epoch=1, scorer="", **fields):
        yield


def asked_about() -> RequestKey:
    """Return the key of the current block."""
    return _key.get()


def with_key(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return messages with the request's key, without the sample, in the first one's metadata.

    The turn is omitted, because it follows from the messages. The first message of a conversation
    thus stays the same in all turns, and logs keep it once.
    """
    keyed_messages = list(messages)
    key = _key.get()
    if not keyed_messages or key == _NOTHING:
        return keyed_messages
    numbers = _numbers.setdefault(transcript(), Counter())
    unnumbered_key = key.model_copy(update={"turn": _turn(keyed_messages)})
    numbers[unnumbered_key] += 1
    key = key.model_copy(update={"number": numbers[unnumbered_key]})
    request_fields = key.model_dump(exclude_defaults=True, exclude=_OF_SAMPLE)
    if not key.sample:
        request_fields[_SHARED] = True
    metadata = {**(keyed_messages[0].metadata or {}), _REQUEST: request_fields}
    keyed_messages[0] = keyed_messages[0].model_copy(update={"metadata": metadata})
    return keyed_messages


def key_of(messages: Sequence[ChatMessage], sample: RequestKey) -> RequestKey | None:
    """Return the key of a request; None if missing.

    Args:
        messages: The conversation.
        sample: Identifies system, sample and epoch.
    """
    for message in messages:
        fields = (message.metadata or {}).get(_REQUEST)
        if isinstance(fields, dict):
            sample_fields = {} if fields.get(_SHARED) else sample.model_dump(include=_OF_SAMPLE)
            request_fields = {name: value for name, value in fields.items() if name != _SHARED}
            try:
                return RequestKey(**sample_fields | request_fields | {"turn": _turn(messages)})
            except ValidationError:  # written by another program
                return None
    return None


def _turn(messages: Sequence[ChatMessage]) -> int:
    return 1 + sum(message.role == "assistant" for message in messages)
