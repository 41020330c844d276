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
    | \A[^\n]{0,40}[:：]\s*\Z  # a label, such as `Question:`
    | \A\W*\Z | \A\s*</?\w[^<>]{0,80}>\s*\Z  # rules, fences and tags
    """,
    re.VERBOSE,
)
_OPENING = re.compile(
    r"""
    \A[^\w\n]*
      (?:please\s|now\s|then\s|first,?\s|finally,?\s|also\s|as\s|do\ not\s|don't\s|only\s|task:)*
      (?:(?P<verb>summari[sz]e|write|answer|give|list|describe|explain|compare|extract|provide|produce
        |create|generate|read|use|tell|state|name|find|identify|analy[sz]e|review|respond|reply|return
        |keep|think|focus|include|limit|output|draft|prepare|calculate|compute|report|highlight|cite
        |fasse|beantworte|schreibe|résume[zr]?)
      |you|your|who|what|which|when|where|why|how)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words that open a request, or a statement: `State the revenue`, `State Street reported`."""

_OBJECT = re.compile(
    r"\s+(?:the|an?|this|that|these|those|its?|me|us|them|my|your|our|their|all|each|every|any|both"
    r"|only|no|not|one|two|three|four|five|\d+|if|whether|who|what|which|when|where|why|how)\b",
    re.IGNORECASE,
)
"""Words after a verb that no noun precedes."""

_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|must)\b"
_ADDRESSED = re.compile(rf"\W*(?:\w+|(?:your|what|which)\s+\w+)\s+{_AUXILIARY}", re.IGNORECASE)
"""Beginning of a question, or of an instruction that is not an imperative."""

_FINITE = rf"(?:{_AUXILIARY}|(?:rose|fell|grew|went|came|became|began|saw|took|gave)\b)"
_SUBJECT = re.compile(
    rf"""
      (?:\s+(?:(?:of|and|&)\s+)?[A-Z][\w.'’&-]*+){{1,6}}(?<!['’]s)\s+(?:{_FINITE}|[a-z]+ed\b)
    | (?:\s+(?:of|on)(?:\s+the)?)?(?:\s+(?!(?:that|who|how|if)\b|wh)[a-z-]+){{0,3}}?\s+{_FINITE}
    """,
    re.VERBOSE,
)
"""What follows the first word of a name or noun phrase, and a finite verb."""

_FIGURE = re.compile(
    r"[$€£¥₹]\s?\d|\d\s?(?:%|(?:percent|(?:basis|percentage) points"
    r"|thousand|million|billion|trillion|bn)\b)",
    re.IGNORECASE,
)
"""A figure of a document; an instruction counts words or years."""

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
    pieces = [piece[0] for piece in _PIECE.finditer(prompt) if not _asks_for_length(piece[0])]
    while pieces and _is_request(pieces[0].strip()):
        pieces.pop(0)
    while pieces and _is_request(pieces[-1].strip()):
        pieces.pop()
    return "".join(pieces).strip()


def _asks_for_length(piece: str) -> bool:
    return _LENGTH.search(piece) is not None and not _FIGURE.search(piece)


def _is_request(piece: str) -> bool:
    """Return whether a piece is a question, an instruction, a label or a rule.

    A sentence with a subject, which is a name or a noun before a finite verb, or with a figure is
    a statement, also if its first word can be an imperative.
    """
    if _REQUEST.search(piece):
        return True
    opening = _OPENING.match(piece)
    if opening is None:
        return False
    if opening["verb"] is None:
        return _ADDRESSED.match(piece) is not None or not _FIGURE.search(piece)
    if _OBJECT.match(piece, opening.end()):
        return True
    return not (_SUBJECT.match(piece, opening.end()) or _FIGURE.search(piece))
