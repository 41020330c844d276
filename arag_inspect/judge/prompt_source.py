"""The source in a model's prompt: the documents without the request."""

import re
from collections.abc import Iterable, Sequence

from inspect_ai.event import Event, ModelEvent
from inspect_ai.model import ChatMessage
from inspect_ai.solver import TaskState

from ..types.trace import system_events

_PIECE = re.compile(r"[^\n]+?(?:[.?!:](?=\s)|[。？！：]|\n|\Z)\s*|\n\s*")
"""A sentence, a label or a line, with the white space after it."""

_REQUEST = re.compile(
    r"""
      [?？]\W*\Z  # a question
    | \A[^\w\n]*
      (?:please\s|now\s|then\s|first,?\s|finally,?\s|also\s|as\s|do\ not\s|don't\s|only\s|task:)*
      (?:summari[sz]e|write|answer|give|list|describe|explain|compare|extract|provide|produce|create
        |generate|read|use|tell|state|name|find|identify|analy[sz]e|review|respond|reply|return|keep
        |think|focus|include|limit|output|draft|prepare|calculate|compute|report|highlight|cite
        |you|your|who|what|which|when|where|why|how|fasse|beantworte|schreibe|résume[zr]?)\b
    | \A[^\n]{0,40}[:：]\s*\Z  # a label, such as `Question:`
    | \A\W*\Z | \A\s*</?\w[^<>]{0,80}>\s*\Z  # rules, fences and tags
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LENGTH = re.compile(
    r"(?<![\w,])\d[\d,]*+(?:\s*(?:to|or|-|–)\s*\d[\d,]*+)?[\s-]*+"
    r"(?:words?|sentences?|paragraphs?|bullets?|bullet points?|characters?|tokens?|lines?)\b",
    re.IGNORECASE,
)
"""How long an answer should be."""

_SHORT = 0.5
"""Longest request that is removed from a prompt, as a share of its length."""


def prompt_source(state: TaskState, events: Iterable[Event]) -> str:
    """Return the text sent to a model before its first reply, without the request.

    The request is the sample's input, unless the input is most of the prompt, and the questions,
    instructions and labels at either end of the prompt. Sentences that ask for a length are always
    omitted. System messages and earlier examples do not belong to the source.

    Args:
        state: The sample.
        events: The log of the sample, for solvers that keep no messages.

    Returns:
        The source; empty if only the request was sent.
    """
    prompt = "\n\n".join(_sent_texts(state, events)) or state.input_text
    request = state.input_text.strip()
    if request and len(request) <= _SHORT * len(prompt):
        shortened_prompt = prompt.replace(request, "\n")
        prompt = shortened_prompt if _strip_requests(shortened_prompt) else prompt
    return _strip_requests(prompt)


def _sent_texts(state: TaskState, events: Iterable[Event]) -> list[str]:
    """Return the texts of the user's messages before the first reply, without examples."""
    messages_before_reply = _messages_before_reply(state.messages)
    if len(messages_before_reply) == len(state.messages):  # the solver kept no reply
        calls = (event for event in system_events(events).events if isinstance(event, ModelEvent))
        call = next(calls, None)
        messages_before_reply = list(call.input) if call else messages_before_reply
    texts: list[str] = []
    for message in reversed(messages_before_reply):
        if message.role == "assistant" and texts:
            break
        if message.role == "user":
            texts.append(message.text)
    return texts[::-1]


def _messages_before_reply(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    for number, message in enumerate(messages):
        if message.role == "assistant" and message.source == "generate":
            return list(messages[:number])
    return list(messages)


def _strip_requests(prompt: str) -> str:
    """Return a prompt without the requests at its ends and without requests for a length."""
    pieces = [piece[0] for piece in _PIECE.finditer(prompt) if not _LENGTH.search(piece[0])]
    while pieces and _REQUEST.search(pieces[0].strip()):
        pieces.pop(0)
    while pieces and _REQUEST.search(pieces[-1].strip()):
        pieces.pop()
    return "".join(pieces).strip()
